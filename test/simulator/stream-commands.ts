import { setImmediate } from 'node:timers/promises';
import type { ImageRole } from '@quartermaster/simulator';

const lineLength = 1_000;
const linesAtOnce = 100;

/** An image whose containers have commands for much output, `flood [BYTES]` and `log-lines COUNT`, and counts what they do. */
export class StreamCommands {
  /** By the last `flood`. */
  writtenBytes = 0;
  endedFloods = 0;

  readonly role: ImageRole = {
    run: (_context, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(0), { once: true });
      }),
    exec: async ({ log }, [name, count], io, signal) => {
      if (name === 'log-lines') {
        for (let line = 1; line <= Number(count); line += 1) {
          log(String(line).padStart(lineLength));
          // Those who follow get every line that they take in time.
          if (line % linesAtOnce === 0) await setImmediate();
        }
        return 0;
      }
      const block = Buffer.alloc(2 ** 15, 'x');
      this.writtenBytes = 0;
      try {
        for (; !signal.aborted && this.writtenBytes < Number(count ?? 'Infinity'); this.writtenBytes += block.length) await io.write(block);
      } finally {
        this.endedFloods += 1;
      }
      return 0;
    },
  };
}
