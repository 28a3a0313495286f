import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ChurnOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly writes: number;
  readonly seed: number;
}

/** What the thread gets: its options, and where it puts how many writes it has made when they are all made. */
export interface ChurnTask extends ChurnOptions {
  readonly made: Int32Array<SharedArrayBuffer>;
}

interface ChurnThread {
  /** How many writes it made. */
  readonly ended: Promise<number>;
  /** Blocks the calling thread until they are all made; false when that takes more than a minute. */
  waitForAll(): boolean;
}

/** Writes from a thread of its own, so that whoever follows the writes can be slower than they are. */
export function startChurnThread(options: ChurnOptions): ChurnThread {
  const made = new Int32Array(new SharedArrayBuffer(4));
  const task: ChurnTask = { ...options, made };
  const worker = new Worker(new URL('./churn-writer.ts', import.meta.url), { workerData: task, execArgv: [] });
  return {
    ended: once(worker, 'exit').then(() => Atomics.load(made, 0)),
    waitForAll: () => Atomics.wait(made, 0, 0, 60_000) !== 'timed-out',
  };
}
