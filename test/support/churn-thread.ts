import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ChurnOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly writes: number;
  readonly seed: number;
}

/** What the thread gets: its options, and a flag that it raises when it is done. */
export interface ChurnTask extends ChurnOptions {
  readonly done: Int32Array<SharedArrayBuffer>;
}

interface ChurnThread {
  /** How many writes it made. */
  readonly ended: Promise<number>;
  /** Blocks the calling thread until they are all made; false when that takes more than a minute. */
  waitForAll(): boolean;
}

/** Writes from a thread of its own, so that whoever follows the writes can be slower than they are. */
export function startChurnThread(options: ChurnOptions): ChurnThread {
  const done = new Int32Array(new SharedArrayBuffer(4));
  const task: ChurnTask = { ...options, done };
  const worker = new Worker(new URL('./churn-writer.ts', import.meta.url), { workerData: task, execArgv: [] });
  return {
    ended: once(worker, 'message').then(([writes]) => writes as number),
    waitForAll: () => Atomics.wait(done, 0, 0, 60_000) !== 'timed-out',
  };
}
