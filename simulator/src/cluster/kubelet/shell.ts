import type { CommandIo } from './image-registry.ts';
import { LineInput } from './line-input.ts';

/** Runs one command other than `exit`, and answers its exit code. */
export type RunCommand = (words: readonly string[], io: CommandIo, signal: AbortSignal) => Promise<number>;

export interface ShellOptions {
  /** What is behind `-c`; without it, lines are read until the input ends. */
  readonly script?: string | undefined;
  /** Shown at a terminal before the first prompt. */
  readonly banner: string;
  readonly run: RunCommand;
}

const prompt = '/ # ';
/** Separators of commands, and words, which may have quoted parts. */
const token = /&&|;|\n|(?:"[^"]*"|'[^']*'|(?!&&)[^\s;])+/g;
const interruptedCode = 130;

/** A shell that knows words with quotes, `;`, `&&` and `exit`, and nothing else. Returns the code of `exit` or of the last command. */
export async function runShell(io: CommandIo, signal: AbortSignal, { script, banner, run }: ShellOptions): Promise<number> {
  const shell = new Shell(io, signal, run);
  if (script !== undefined) {
    await shell.runLine(script);
    return shell.exitCode;
  }
  const { terminal } = io;
  if (terminal !== undefined) {
    terminal.interrupt = () => {};
    await io.write(banner);
  }
  while (!shell.isOver && !signal.aborted) {
    if (terminal !== undefined) await io.write(prompt);
    const line = await shell.input.line();
    if (line === undefined) break;
    await shell.runLine(line);
  }
  return shell.exitCode;
}

class Shell {
  readonly input: LineInput;
  exitCode = 0;
  isOver = false;
  readonly #io: CommandIo;
  readonly #signal: AbortSignal;
  readonly #run: RunCommand;

  constructor(io: CommandIo, signal: AbortSignal, run: RunCommand) {
    this.input = new LineInput(io);
    this.#io = io;
    this.#signal = signal;
    this.#run = run;
  }

  async runLine(line: string): Promise<void> {
    let words: string[] = [];
    let isSkipped = false;
    for (const each of [...(line.match(token) ?? []), ';']) {
      if (each !== ';' && each !== '\n' && each !== '&&') {
        words.push(each.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
        continue;
      }
      if (words.length > 0 && !isSkipped && !(await this.#command(words))) return;
      words = [];
      isSkipped = each === '&&' && this.exitCode !== 0;
    }
  }

  /** Returns whether the rest of the line is run. */
  async #command([name = '', ...args]: readonly string[]): Promise<boolean> {
    if (name === 'exit') {
      this.isOver = true;
      if (args[0] !== undefined) this.exitCode = Number(args[0]) & 255;
      return false;
    }
    const { terminal } = this.#io;
    const interrupted = new AbortController();
    if (terminal !== undefined) terminal.interrupt = () => interrupted.abort();
    const io: CommandIo = { terminal, read: () => this.input.read(), write: (output, to) => this.#io.write(output, to) };
    const code = await this.#run([name, ...args], io, AbortSignal.any([this.#signal, interrupted.signal]));
    if (terminal !== undefined) terminal.interrupt = () => {};
    this.exitCode = interrupted.signal.aborted ? interruptedCode : code;
    return !interrupted.signal.aborted && !this.#signal.aborted;
  }
}
