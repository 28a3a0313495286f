export { ensureConsoleBuilt } from './build/ensure-console-built.ts';
export type { ConsoleNode, ConsolePart, ConsolePod, ConsoleSnapshot, ConsoleSource, PartState } from './console-source.ts';
export { type ConsoleOptions, type RunningConsole, startConsole } from './server/start-console.ts';
