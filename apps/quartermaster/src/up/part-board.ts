import type { ConsolePart, PartChange, PartState } from '@quartermaster/console';
import type { Clock } from '@quartermaster/kernel';

export interface PartNews {
  readonly state: PartState;
  /** Why it is not ready, as a sentence. */
  readonly reason?: string | undefined;
  /** Added to the facts known before. */
  readonly facts?: Readonly<Record<string, string>> | undefined;
}

/** More of what became of parts is not remembered. */
const mostChanges = 200;

/** What runs, in the order in which it was first mentioned, and since when it is in the state it is in. */
export class PartBoard {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #parts = new Map<string, ConsolePart>(); // name -> part
  readonly #changes: PartChange[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls back after every change. Returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The news about a part that says nothing new changes nothing, and tells nobody. */
  set(name: string, kind: ConsolePart['kind'], { state, reason, facts = {} }: PartNews): void {
    const before = this.#parts.get(name);
    const isSame = before?.state === state && before.reason === reason;
    const allFacts = { ...before?.facts, ...facts };
    const since = before?.state === state ? before.since : this.#clock.now();
    if (isSame && Object.entries(facts).every(([fact, value]) => before.facts[fact] === value)) return;
    this.#parts.set(name, { name, kind, state, reason, since, facts: allFacts });
    if (!isSame) this.#remember({ at: this.#clock.now(), name, state, reason });
    for (const listener of this.#listeners) listener();
  }

  /** What became of the parts, the newest last. */
  changes(): readonly PartChange[] {
    return [...this.#changes];
  }

  #remember(change: PartChange): void {
    this.#changes.push(change);
    if (this.#changes.length > mostChanges) this.#changes.shift();
  }

  list(): readonly ConsolePart[] {
    return [...this.#parts.values()];
  }
}
