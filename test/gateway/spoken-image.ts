import { once } from 'node:events';
import { type ContainerContext, ImageRegistry } from '@quartermaster/simulator';

const block = Buffer.alloc(32 * 1024, 'x');

/** Containers that log what the test says, and commands whose output is counted. */
export class SpokenImage {
  readonly name = 'spoken:1';
  readonly images = new ImageRegistry();
  readonly #logs = new Map<string, (text: string) => void>(); // pod -> its log
  /** What the command `flood` has been rid of, in bytes. */
  flooded = 0;
  /** How many of them have ended. */
  floodsEnded = 0;

  constructor() {
    this.images.register('spoken', () => ({
      run: async ({ pod, log }: ContainerContext, signal: AbortSignal) => {
        this.#logs.set(pod.name, log);
        log(`${pod.name} says hello`);
        if (!signal.aborted) await once(signal, 'abort');
      },
      exec: async (_context, _command, io, signal) => {
        try {
          for (; !signal.aborted; this.flooded += block.length) await io.write(block);
        } finally {
          this.floodsEnded += 1;
        }
        return 0;
      },
    }));
  }

  /** Has a pod log it. */
  say(pod: string, text: string): void {
    const log = this.#logs.get(pod);
    if (log === undefined) throw new Error(`pod ${pod} does not run`);
    log(text);
  }
}
