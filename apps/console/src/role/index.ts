/** The role alone, without what it is made of. */
export { type ConsoleSurroundings, consoleRole, sharedConsole } from './console-role.ts';
export type { ConsoleSettings } from './console-settings.ts';
