import type { NewEvent } from '../bus/backend.ts';
import type { BusSettings } from '../bus/bus-options.ts';
import { abortReason } from '../delivery/deadline.ts';
import { MemoryGroup } from './memory-group.ts';

interface Waiter {
  readonly admit: () => void;
}

/** How long an id is remembered; the same as on NATS. */
const duplicateWindowMs = 120_000;

/** The groups of one event topic, and the publishers that wait for room in the fullest. */
export class MemoryEventTopic {
  readonly #settings: BusSettings;
  readonly #groups = new Map<string, MemoryGroup>(); // name -> group
  readonly #seen = new Map<string, number>(); // id -> when it was taken, oldest first
  #waiters: Waiter[] = [];

  constructor(settings: BusSettings) {
    this.#settings = settings;
  }

  group(name: string): MemoryGroup {
    let group = this.#groups.get(name);
    if (group === undefined) this.#groups.set(name, (group = new MemoryGroup(this.#settings, () => this.#admit())));
    return group;
  }

  /** Publishers get their room in the order in which they asked. */
  put(event: NewEvent, groups: readonly string[], signal: AbortSignal): Promise<void> {
    for (const name of groups) this.group(name);
    if (this.#waiters.length === 0 && this.#fullGroup() === undefined) {
      this.#store(event);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiters = this.#waiters.filter((each) => each !== waiter);
        reject(abortReason(signal, `group ${this.#fullGroup()} has ${this.#settings.maxPendingEvents} unhandled events`));
      };
      const admit = (): void => {
        signal.removeEventListener('abort', abort);
        this.#store(event);
        resolve();
      };
      const waiter: Waiter = { admit };
      this.#waiters.push(waiter);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #admit(): void {
    while (this.#waiters.length > 0 && this.#fullGroup() === undefined) this.#waiters.shift()?.admit();
  }

  #fullGroup(): string | undefined {
    for (const [name, group] of this.#groups) if (group.size >= this.#settings.maxPendingEvents) return name;
    return undefined;
  }

  #store(event: NewEvent): void {
    const now = this.#settings.clock.monotonic();
    for (const [id, takenAt] of this.#seen) {
      if (now - takenAt < duplicateWindowMs) break;
      this.#seen.delete(id);
    }
    if (this.#seen.has(event.id)) return;
    this.#seen.set(event.id, now);
    const publishedAt = new Date(this.#settings.clock.now());
    for (const group of this.#groups.values()) group.add(event, publishedAt);
  }
}
