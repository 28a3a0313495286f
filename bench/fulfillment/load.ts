import { setTimeout as pause } from 'node:timers/promises';

/** What callers got from a service that each of them asks again as soon as it has answered. */
export interface Load {
  readonly perSecond: number;
  readonly meanMs: number;
  readonly p99Ms: number;
  /** Of the calls that others made meanwhile, where there were any. */
  readonly besidePerSecond?: number | undefined;
}

export interface LoadOptions {
  readonly callers: number;
  /** Asked before it counts: connections are made, statements prepared and functions compiled. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export type Call = () => Promise<unknown>;

export async function load(call: Call, { callers, warmUpSeconds, seconds }: LoadOptions): Promise<Load> {
  await askFor(call, callers, warmUpSeconds);
  const startedAt = performance.now();
  const durations = await askFor(call, callers, seconds);
  const tookSeconds = (performance.now() - startedAt) / 1000;
  const meanMs = durations.reduce((sum, each) => sum + each, 0) / durations.length;
  return { perSecond: durations.length / tookSeconds, meanMs, p99Ms: percentile(durations, 0.99) };
}

export interface BesideOptions {
  readonly callers: number;
  readonly perSecond: number;
}

/** Calls at a steady rate while the work runs. A server that answers more slowly gets fewer calls, never more of them at once than there are callers. */
export async function beside<T>(
  work: () => Promise<T>,
  call: Call,
  { callers, perSecond }: BesideOptions,
): Promise<{ readonly result: T; readonly perSecond: number }> {
  const everyMs = (callers * 1000) / perSecond;
  const startedAt = performance.now();
  let [made, isOver] = [0, false];
  const keepCalling = async (): Promise<void> => {
    while (!isOver) {
      const calledAt = performance.now();
      await call();
      made += 1;
      await pause(Math.max(0, everyMs - (performance.now() - calledAt)));
    }
  };
  const worked = work().finally(() => {
    isOver = true;
  });
  try {
    const [result] = await Promise.all([worked, ...Array.from({ length: callers }, keepCalling)]);
    return { result, perSecond: made / ((performance.now() - startedAt) / 1000) };
  } finally {
    isOver = true;
  }
}

/** How long each of the calls took, in ms. */
async function askFor(call: Call, callers: number, seconds: number): Promise<number[]> {
  const durations: number[] = [];
  const endsAt = performance.now() + seconds * 1000;
  const ask = async (): Promise<void> => {
    for (let startedAt = performance.now(); startedAt < endsAt; ) {
      await call();
      const now = performance.now();
      durations.push(now - startedAt);
      startedAt = now;
    }
  };
  await Promise.all(Array.from({ length: callers }, ask));
  return durations;
}

/** The least value that so many of them do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}
