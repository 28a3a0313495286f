import type { CommandIo, CommandTerminal } from './image-registry.ts';

const keys = { interrupt: '\x03', end: '\x04', backspace: '\b', lineFeed: '\n', carriageReturn: '\r', delete: '\x7f' } as const;
/** What is typed beyond that, and not read, is lost, as at a real terminal. */
const maxWaitingLines = 1_000;
const maxLineLength = 4_096;

/** What is at the person's end: bytes as they are typed, and a screen. */
export interface TerminalLine {
  read(): Promise<Buffer | undefined>;
  write(output: string): Promise<void>;
  readonly size: CommandTerminal['size'];
}

/**
 * What a kernel does between a person who types and a command: shows what is typed, lets the last character be taken back, and gives the command whole lines. Ctrl-C
 * drops the line and interrupts; Ctrl-D at the begin of a line is an end of the input.
 */
export class Terminal implements CommandIo, CommandTerminal {
  interrupt: () => void;
  readonly terminal: CommandTerminal = this;
  readonly #person: TerminalLine;
  readonly #lines: (Buffer | undefined)[] = []; // those typed and not read yet; undefined is an end
  #typed = '';
  #isHungUp = false;
  #reader: ((line: Buffer | undefined) => void) | undefined;

  constructor(person: TerminalLine, interrupt: () => void) {
    this.#person = person;
    this.interrupt = interrupt;
  }

  get size(): CommandTerminal['size'] {
    return this.#person.size;
  }

  /** Takes what is typed until the person hangs up, which ends the input for good. */
  async follow(): Promise<void> {
    const decoder = new TextDecoder();
    for (let bytes = await this.#person.read(); bytes !== undefined; bytes = await this.#person.read()) {
      const shown = Array.from(decoder.decode(bytes, { stream: true }), (key) => this.#press(key)).join('');
      if (shown !== '') await this.#person.write(shown);
    }
    this.#isHungUp = true;
    this.#reader?.(undefined);
  }

  async read(): Promise<Buffer | undefined> {
    if (this.#lines.length > 0) return this.#lines.shift();
    if (this.#isHungUp) return undefined;
    return await new Promise((resolve) => {
      this.#reader = (line) => {
        this.#reader = undefined;
        resolve(line);
      };
    });
  }

  async write(output: string | Uint8Array): Promise<void> {
    const text = typeof output === 'string' ? output : Buffer.from(output).toString('utf8');
    await this.#person.write(text.replaceAll('\n', '\r\n'));
  }

  /** Returns what the screen shows of it. */
  #press(key: string): string {
    switch (key) {
      case keys.carriageReturn:
      case keys.lineFeed:
        this.#give(Buffer.from(`${this.#typed}\n`));
        this.#typed = '';
        return '\r\n';
      case keys.interrupt:
        this.#typed = '';
        this.#lines.length = 0;
        this.interrupt();
        this.#reader?.(Buffer.from('\n'));
        return '^C\r\n';
      case keys.end:
        if (this.#typed === '') this.#give(undefined);
        return '';
      case keys.delete:
      case keys.backspace: {
        const before = this.#typed;
        this.#typed = Array.from(before).slice(0, -1).join('');
        return before === '' ? '' : '\b \b';
      }
      default:
        if ((key < ' ' && key !== '\t') || this.#typed.length >= maxLineLength) return '';
        this.#typed += key;
        return key;
    }
  }

  #give(line: Buffer | undefined): void {
    if (this.#reader !== undefined) this.#reader(line);
    else if (this.#lines.length < maxWaitingLines) this.#lines.push(line);
  }
}
