import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BackoffOptions, backoffMs } from '../backoff.ts';
import { FakeClock } from '../fake-clock.ts';
import { type Random, seededRandom } from '../random.ts';
import { codeOf, StatusError } from '../status-error.ts';
import { Follower } from './follower.ts';
import type { WatchEvents } from './watch.ts';

/** `sequence` is also the token. Without a key it is a bookmark. */
interface Change {
  readonly sequence: number;
  readonly key: string | undefined;
}

const backoff: BackoffOptions = { firstMs: 100, maxMs: 5000, factor: 2 };
const silenceMs = 3000;
const shortest: Random = { next: () => 0, fill: (bytes) => bytes };
const away = (): StatusError => new StatusError('unavailable', 'away');

/** An API of numbered changes: it lists, watches from a number on, forgets old numbers, and fails when told to. */
class ModelApi {
  readonly changes: Change[] = [];
  /** Watches from before this are refused. */
  oldest = 0;
  failingLists = 0;
  failingOpens = 0;
  stream: { on: WatchEvents<Change>; position: number; hasBegun: boolean } | undefined;
  readonly #lists: (() => void)[] = [];

  get head(): number {
    return this.changes.length;
  }

  write(key: string): void {
    this.changes.push({ sequence: this.head + 1, key });
  }

  /** key -> the number of its last change, up to a number. */
  stateAt(sequence: number): Map<string, number> {
    return new Map(this.changes.slice(0, sequence).map((change) => [change.key ?? '', change.sequence]));
  }

  open(from: number | undefined, on: WatchEvents<Change>): () => void {
    if (this.failingOpens > 0) {
      this.failingOpens -= 1;
      throw away();
    }
    const stream = { on, position: from ?? this.head, hasBegun: false };
    this.stream = stream;
    if (from !== undefined && from < this.oldest) this.end(new StatusError('failed_precondition', 'expired'));
    return () => {
      if (this.stream === stream) this.stream = undefined;
    };
  }

  end(error: unknown): void {
    const { stream } = this;
    this.stream = undefined;
    stream?.on.ended(error);
  }

  /** Sends up to so many messages, a bookmark first. */
  deliver(count: number): void {
    for (let i = 0; i < count && this.stream !== undefined; i += 1) {
      const { stream } = this;
      const change = stream.hasBegun ? this.changes[stream.position] : { sequence: stream.position, key: undefined };
      if (change === undefined) return;
      stream.hasBegun = true;
      stream.position = change.sequence;
      stream.on.message(change);
    }
  }

  /** Answers with the state of when the answer is given, or fails. */
  async list(): Promise<Map<string, number>> {
    await new Promise<void>((resolve) => this.#lists.push(resolve));
    if (this.failingLists > 0) {
      this.failingLists -= 1;
      throw away();
    }
    return this.stateAt(this.head);
  }

  answerLists(): void {
    for (const answer of this.#lists.splice(0)) answer();
  }
}

class Watcher {
  readonly api = new ModelApi();
  readonly clock = new FakeClock();
  readonly known = new Map<string, number>(); // key -> the number of its last change, as told
  readonly violations: string[] = [];
  readonly follower: Follower<Change, number>;
  failingTakes = 0;
  saidAt = 0;
  #failures = 0;
  #brokeAt: number | undefined;
  #lastRetryAt = 0;

  constructor(seed: number) {
    this.follower = new Follower<Change, number>({
      watch: (from, on) => {
        this.#opens(from);
        return this.api.open(from, on);
      },
      list: async (signal) => {
        const listed = await this.api.list();
        signal.throwIfAborted();
        this.known.clear();
        for (const [key, sequence] of listed) this.known.set(key, sequence);
      },
      take: async (changes, signal) => {
        await Promise.resolve();
        signal.throwIfAborted();
        if (this.failingTakes > 0) {
          this.failingTakes -= 1;
          throw away();
        }
        for (const { key, sequence } of changes) {
          if (key !== undefined) this.known.set(key, Math.max(sequence, this.known.get(key) ?? 0));
        }
      },
      tokenOf: ({ sequence }) => sequence,
      judge: (error) => (codeOf(error) === 'failed_precondition' ? 'restart' : 'resume'),
      silenceMs,
      backoff,
      clock: this.clock,
      random: seededRandom(seed),
      changed: () => this.#changed(),
    });
  }

  #opens(from: number | undefined): void {
    this.saidAt = this.clock.monotonic();
    if (from !== undefined) this.#covers(from, `a stream from ${from}`);
    if (this.#brokeAt === undefined) return;
    const waitedMs = this.clock.monotonic() - this.#brokeAt;
    const leastMs = backoffMs(this.#failures, backoff, shortest);
    if (waitedMs < leastMs) this.violations.push(`opened ${waitedMs} ms after failure ${this.#failures}, not after ${leastMs}`);
    this.#brokeAt = undefined;
  }

  #changed(): void {
    const { state } = this.follower.status();
    if (state.kind === 'following') this.#failures = 0;
    if (state.kind !== 'reconnecting' || state.retryAt === this.#lastRetryAt) return;
    this.#lastRetryAt = state.retryAt;
    this.#failures += 1;
    this.#brokeAt = this.clock.monotonic();
  }

  #covers(sequence: number, what: string): void {
    for (const [key, needed] of this.api.stateAt(sequence)) {
      if ((this.known.get(key) ?? 0) < needed) this.violations.push(`${what} while change ${needed} of ${key} was never taken`);
    }
  }

  /** After everything that can happen without time passing has happened. */
  check(): void {
    if (this.follower.status().state.kind !== 'following') return;
    const { stream } = this.api;
    if (stream === undefined) this.violations.push('following without a stream');
    else this.#covers(stream.hasBegun ? stream.position : 0, 'following');
    if (this.clock.monotonic() - this.saidAt >= silenceMs) this.violations.push('following a stream that fell silent');
  }
}

type Command =
  | {
      readonly does: 'write' | 'break' | 'end' | 'expire' | 'sound' | 'forget' | 'answer lists' | 'fail list' | 'fail take' | 'fail open';
      readonly amount: number;
    }
  | { readonly does: 'deliver' | 'advance'; readonly amount: number };

async function perform(watcher: Watcher, { does, amount }: Command): Promise<void> {
  const { api, clock, follower } = watcher;
  switch (does) {
    case 'write':
      api.write('abc'[amount % 3] ?? 'a');
      break;
    case 'deliver':
      if (api.stream !== undefined && (!api.stream.hasBegun || api.stream.position < api.head)) watcher.saidAt = clock.monotonic();
      api.deliver(1 + (amount % 4));
      break;
    case 'sound':
      if (api.stream !== undefined) watcher.saidAt = clock.monotonic();
      api.stream?.on.sound();
      break;
    case 'break':
      api.end(away());
      break;
    case 'end':
      api.end(undefined);
      break;
    case 'expire':
      api.oldest = api.head + 1;
      api.write('a');
      break;
    case 'forget':
      watcher.known.clear();
      follower.forget();
      break;
    case 'answer lists':
      api.answerLists();
      break;
    case 'fail list':
      api.failingLists += 1;
      break;
    case 'fail take':
      watcher.failingTakes += 1;
      break;
    case 'fail open':
      api.failingOpens += 1;
      break;
    case 'advance':
      await clock.advance(amount * 40);
      break;
  }
  await new Promise((resolve) => setImmediate(resolve));
  watcher.check();
}

const amount = fc.nat({ max: 99 });
const often = (does: Command['does']): fc.WeightedArbitrary<Command> => ({
  weight: 4,
  arbitrary: fc.record({ does: fc.constant(does), amount }),
});
const rarely = (does: Command['does']): fc.WeightedArbitrary<Command> => ({ ...often(does), weight: 1 });
const commands = fc.array(
  fc.oneof(
    ...(['write', 'deliver', 'advance', 'answer lists'] as const).map(often),
    ...(['break', 'end', 'sound', 'expire', 'forget', 'fail list', 'fail take', 'fail open'] as const).map(rarely),
  ),
  { minLength: 10, maxLength: 40 },
);

describe('Follower, whatever happens to its streams and lists', () => {
  it('loses no change, calls nothing old up to date, keeps the waits, and ends up knowing everything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), commands, async (seed, sequence) => {
        const watcher = new Watcher(seed);
        const { api, follower } = watcher;
        follower.start();
        for (const command of sequence) await perform(watcher, command);
        api.failingLists = 0;
        api.failingOpens = 0;
        watcher.failingTakes = 0;
        const isDone = (): boolean =>
          follower.status().state.kind === 'following' && api.stream?.hasBegun === true && api.stream.position === api.head;
        for (let i = 0; i < 40 && !isDone(); i += 1) {
          for (const does of ['deliver', 'answer lists', 'deliver'] as const) await perform(watcher, { does, amount: 99 });
          if (!isDone()) await perform(watcher, { does: 'advance', amount: 20 });
        }
        await follower.stop();
        expect(watcher.violations).toEqual([]);
        expect(watcher.known).toEqual(api.stateAt(api.head));
        expect(follower.status().heardAt).toBeDefined();
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
