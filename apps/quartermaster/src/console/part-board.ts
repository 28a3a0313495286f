import type { ConsolePart, PartState } from '@quartermaster/console';
import type { Clock } from '@quartermaster/kernel';

export interface PartNews {
  readonly state: PartState;
  /** Why it is not ready, as a sentence. */
  readonly reason?: string | undefined;
  /** Added to the facts known before. */
  readonly facts?: Readonly<Record<string, string>> | undefined;
}

/** What runs, in the order in which it was first mentioned, and since when it is in the state it is in. */
export class PartBoard {
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #parts = new Map<string, ConsolePart>(); // name -> part

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** The news about a part that says nothing new changes nothing, and tells nobody. */
  set(name: string, kind: ConsolePart['kind'], { state, reason, facts = {} }: PartNews): void {
    const before = this.#parts.get(name);
    const isSame = before?.state === state && before.reason === reason;
    const allFacts = { ...before?.facts, ...facts };
    const since = before?.state === state ? before.since : this.#clock.now();
    if (isSame && Object.entries(facts).every(([fact, value]) => before.facts[fact] === value)) return;
    this.#parts.set(name, { name, kind, state, reason, since, facts: allFacts });
    this.#changed();
  }

  list(): readonly ConsolePart[] {
    return [...this.#parts.values()];
  }
}
