import type { Clock } from '@quartermaster/kernel';
import type { InventoryKnowledge } from '../model/knowledge.ts';
import type { Reason } from '../placement/stock-facts.ts';

/** Something that the figures are made of and that is not being heard of. */
export interface SilentSource {
  readonly source: string;
  /** By the monotonic clock; undefined if it was never heard. */
  readonly lastHeardAt: number | undefined;
}

export interface Hearing {
  /** When what is known was last true, by the monotonic clock; undefined before anything was heard. */
  readonly heardAt: number | undefined;
  readonly silent: readonly SilentSource[];
}

/** Why nothing new may be promised by what was heard; undefined while it is fresh. */
export function problemOf({ heardAt, silent }: Hearing, maxAgeMs: number, now: number): Reason | undefined {
  const limit = `; nothing new is promised after ${seconds(maxAgeMs)} (inventory-max-age)`;
  if (heardAt === undefined) return { code: 'InventoryUnknown', message: 'the inventory has not been read yet' };
  if (now - heardAt > maxAgeMs) {
    return { code: 'InventoryStale', message: `the inventory was last heard of ${seconds(now - heardAt)} ago${limit}` };
  }
  const message = silenceOf(silent, maxAgeMs, now);
  return message === undefined ? undefined : { code: 'InventoryIncomplete', message };
}

/** Which of them is not heard of for too long; undefined while none is. */
export function silenceOf(silent: readonly SilentSource[], maxAgeMs: number, now: number): string | undefined {
  const unread = silent.find(({ lastHeardAt }) => lastHeardAt === undefined);
  if (unread !== undefined) return `${unread.source} of the cluster have not been read yet`;
  const [oldest] = silent.toSorted((a, b) => (a.lastHeardAt ?? 0) - (b.lastHeardAt ?? 0));
  if (oldest?.lastHeardAt === undefined || now - oldest.lastHeardAt <= maxAgeMs) return undefined;
  const age = seconds(now - oldest.lastHeardAt);
  return `${oldest.source} of the cluster were last heard of ${age} ago; nothing new is promised after ${seconds(maxAgeMs)} (inventory-max-age)`;
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

type Told = Pick<InventoryKnowledge, 'generation' | 'observedAt' | 'protocol'>;

export interface FreshnessOptions {
  readonly maxAgeMs: number;
  readonly clock: Clock;
  /** Asked whenever somebody wants to know. */
  readonly silent: () => readonly SilentSource[];
  /** The same, of what matters for cards alone that claims hand out. */
  readonly silentClaims: () => readonly SilentSource[];
}

/** How old what is known is, at the moment of asking: a process that slept wakes up with stale knowledge, before any timer of it has run. */
export class Freshness {
  readonly #options: FreshnessOptions;
  #told: Told = { protocol: 'unknown' };
  #heardAt: number | undefined;

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /** `at`: when this was asked for, where that is known; else it is as new as its arrival. */
  heard(told: Told, at = this.#options.clock.monotonic()): void {
    this.#told = told;
    this.#heardAt = Math.max(at, this.#heardAt ?? at);
  }

  /** What is not being heard of, for however short a time. */
  get silent(): readonly SilentSource[] {
    return [...this.#options.silent(), ...this.#options.silentClaims()];
  }

  get problem(): Reason | undefined {
    const { silent, maxAgeMs, clock } = this.#options;
    return problemOf({ heardAt: this.#heardAt, silent: silent() }, maxAgeMs, clock.monotonic());
  }

  get claimsProblem(): Reason | undefined {
    const { silentClaims, maxAgeMs, clock } = this.#options;
    const message = silenceOf(silentClaims(), maxAgeMs, clock.monotonic());
    return message === undefined ? undefined : { code: 'CardCapacityUnknown', message };
  }

  /** Its problems are judged each time they are read. */
  current(): InventoryKnowledge {
    const { clock } = this.#options;
    const lastContactAt = this.#heardAt === undefined ? undefined : clock.now() - (clock.monotonic() - this.#heardAt);
    const judge = (): Pick<InventoryKnowledge, 'problem' | 'claimsProblem'> => this;
    return {
      ...this.#told,
      lastContactAt,
      get problem() {
        return judge().problem;
      },
      get claimsProblem() {
        return judge().claimsProblem;
      },
    };
  }
}

/** Notices that this process did not run for a while: what then comes in was sent long ago, though it arrives now. */
export class SleepWatch {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #awakeAt: number;
  #cancel: () => void = () => {};

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#awakeAt = clock.monotonic();
  }

  start(): () => void {
    this.#awakeAt = this.#clock.monotonic();
    const next = (): void => {
      this.#cancel = this.#clock.schedule(this.#limitMs / 4, () => {
        // Whoever asks first after a sleep is to be told, not the timer.
        if (!this.#slept()) this.#awakeAt = this.#clock.monotonic();
        next();
      });
    };
    next();
    return () => this.#cancel();
  }

  /** Whether it did since the last call. */
  hasSlept(): boolean {
    const slept = this.#slept();
    this.#awakeAt = this.#clock.monotonic();
    return slept;
  }

  #slept(): boolean {
    return this.#clock.monotonic() - this.#awakeAt > this.#limitMs;
  }
}
