import type { TerminalSize } from './shell-frames.ts';

/** What is typed into. */
export interface TerminalInput {
  readonly isTTY?: boolean | undefined;
  readonly isRaw?: boolean | undefined;
  setRawMode?(isRaw: boolean): unknown;
}

/** What is drawn on. */
export interface TerminalScreen {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/** What a program that did not end by itself may have left: colours, a hidden cursor, reports of the mouse and of what is pasted. */
const tidy = '\u001B[0m\u001B[?25h\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1006l\u001B[?2004l';

/** Passes every key on as it is typed while `work` runs. The terminal is then as it was, whatever happened, the end of the process included. */
export async function withRawTerminal<T>(input: TerminalInput, screen: TerminalScreen, work: () => Promise<T>): Promise<T> {
  if (input.isTTY !== true || input.setRawMode === undefined) return await work();
  const wasRaw = input.isRaw === true;
  const restore = (): void => void input.setRawMode?.(wasRaw);
  process.once('exit', restore);
  try {
    input.setRawMode(true);
    return await work();
  } catch (thrown) {
    screen.write(tidy);
    throw thrown;
  } finally {
    restore();
    process.off('exit', restore);
  }
}

/** Tells the size at once and whenever it changes, until the function that is returned is called. */
export function followSize(screen: TerminalScreen, tell: (size: TerminalSize) => void): () => void {
  const say = (): void => tell({ width: screen.columns ?? 80, height: screen.rows ?? 24 });
  say();
  screen.on('resize', say);
  return () => screen.off('resize', say);
}
