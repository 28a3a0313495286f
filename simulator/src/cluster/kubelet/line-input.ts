import type { CommandIo } from './image-registry.ts';

const maxLineBytes = 64 * 1024;

/** An input that is read line by line, of which the rest is left to somebody else. */
export class LineInput {
  readonly #io: CommandIo;
  #rest: Buffer = Buffer.alloc(0);

  constructor(io: CommandIo) {
    this.#io = io;
  }

  async read(): Promise<Buffer | undefined> {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest.length > 0 ? rest : await this.#io.read();
  }

  /** Without its end; undefined at the end of the input. One that is far too long is cut. */
  async line(): Promise<string | undefined> {
    let line: Buffer = Buffer.alloc(0);
    while (line.length < maxLineBytes) {
      const chunk = await this.read();
      if (chunk === undefined) return line.length === 0 ? undefined : line.toString('utf8');
      const end = chunk.indexOf(10);
      line = Buffer.concat([line, end < 0 ? chunk : chunk.subarray(0, end)]);
      if (end < 0) continue;
      this.#rest = chunk.subarray(end + 1);
      break;
    }
    return line.toString('utf8');
  }
}
