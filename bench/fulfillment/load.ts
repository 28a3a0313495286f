/** What callers got from a service that each of them asks again as soon as it has answered. */
export interface Load {
  readonly perSecond: number;
  readonly meanMs: number;
  readonly p99Ms: number;
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

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}
