import { type Clock, StatusError, sleep } from '@quartermaster/kernel';
import type { Cache, CacheStatus } from '@quartermaster/kube';

/** What is being read, by what people call it: `pods`. */
export type Readings = Readonly<Record<string, Pick<Cache<never>, 'size' | 'whenSynced'> & { status(): Pick<CacheStatus, 'lastError'> }>>;

export interface WhenReadOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told about every second how far it is: `5000 nodes, 43 500 pods`. */
  readonly onProgress: (text: string) => void;
}

const lookEveryMs = 1_000;

/** A large cluster takes its time; one of which nothing arrives any more is not worth waiting for. */
const stalledAfterMs = 60_000;

/**
 * Resolves when everything has been read completely once. Rejects with the signal's reason, or with a StatusError when nothing
 * has arrived for a minute.
 */
export async function whenRead(readings: Readings, { clock, signal, onProgress }: WhenReadOptions): Promise<void> {
  const ended = new AbortController();
  const stopping = AbortSignal.any([signal, ended.signal]);
  try {
    await Promise.race([
      Promise.all(Object.values(readings).map((reading) => reading.whenSynced(stopping))),
      refuseWhenStalled(readings, { clock, signal: stopping, onProgress }),
    ]);
  } finally {
    ended.abort(new Error('the wait is over'));
  }
}

async function refuseWhenStalled(readings: Readings, { clock, signal, onProgress }: WhenReadOptions): Promise<never> {
  const caches = Object.values(readings);
  let seen = -1;
  let sinceMs = clock.monotonic();
  for (;;) {
    await sleep(clock, lookEveryMs, signal);
    const count = caches.reduce((sum, { size }) => sum + size, 0);
    const sizes = Object.entries(readings)
      .map(([what, { size }]) => `${size} ${what}`)
      .join(', ');
    if (count !== seen) {
      seen = count;
      sinceMs = clock.monotonic();
      onProgress(sizes);
    } else if (clock.monotonic() - sinceMs >= stalledAfterMs) {
      const problem = caches.map((cache) => cache.status().lastError).find((text) => text !== undefined) ?? 'it sends nothing more';
      throw new StatusError(
        'unavailable',
        `the cluster could not be read (${sizes} after ${stalledAfterMs / 1000} s without news: ${problem}): see whether \`kubectl get nodes,pods --all-namespaces\` works there, then start again`,
      );
    }
  }
}
