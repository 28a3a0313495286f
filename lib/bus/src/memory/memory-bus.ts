import type { BusBackend, Content, Feed, NewEvent, RawEvent, RawState, TopicGroups } from '../bus/backend.ts';
import type { Bus, DeadLetter } from '../bus/bus.ts';
import { type BusOptions, type BusSettings, busSettings } from '../bus/bus-options.ts';
import { TypedBus } from '../bus/typed-bus.ts';
import type { DeliveryVerdict } from '../delivery/verdict.ts';
import type { Generation } from '../topics/generation.ts';
import { MemoryEventTopic } from './memory-event-topic.ts';

/** A bus inside one process: everything on it ends with the process. */
export function createMemoryBus(options: BusOptions = {}): Bus {
  return new MemoryBroker(options).connect();
}

interface Watcher {
  readonly topic: string;
  readonly key: string | undefined;
  readonly onState: (state: RawState) => void;
}

/** What several memory buses share, as several clients share a server. */
export class MemoryBroker {
  readonly #settings: BusSettings;
  readonly #epoch: number;
  readonly #states = new Map<string, Map<string, RawState>>(); // topic -> key -> value now
  readonly #watchers = new Set<Watcher>();
  readonly #events = new Map<string, MemoryEventTopic>(); // topic -> its groups
  #sequence = 0;

  constructor(options: BusOptions = {}) {
    this.#settings = busSettings(options);
    this.#epoch = this.#settings.clock.now();
  }

  /** A client, with settings of its own where given. Capacities belong to the broker. */
  connect(options: BusOptions = {}): Bus {
    let isOpen = true;
    const backend: BusBackend = {
      kind: 'memory',
      putState: async (topic, key, content) => this.#putState(topic, key, content),
      putStateNow: (topic, key, content) => this.#putState(topic, key, content),
      getState: async (topic, key) => this.#states.get(topic)?.get(key),
      watchStates: async (topic, key, onState) => this.#watch({ topic, key, onState }),
      putEvent: (topic, event, signal) => this.#putEvent(topic, event, signal),
      consumeEvents: async (topic, group, run) => this.#consume(topic, group, run),
      deadLetters: async (topic, group) => this.#deadLetters(topic, group),
      link: () => ({ state: isOpen ? 'connected' : 'closed', reconnects: 0 }),
      close: async () => {
        isOpen = false;
      },
    };
    return new TypedBus(backend, busSettings(options, this.#settings));
  }

  #putState(topic: string, key: string, content: Content): Generation {
    this.#sequence += 1;
    const generation = { epoch: this.#epoch, sequence: this.#sequence };
    const state: RawState = { ...content, key, generation, publishedAt: new Date(this.#settings.clock.now()) };
    let states = this.#states.get(topic);
    if (states === undefined) this.#states.set(topic, (states = new Map<string, RawState>()));
    states.set(key, state);
    for (const watcher of this.#watchers) {
      if (watcher.topic === topic && (watcher.key === undefined || watcher.key === key)) watcher.onState(state);
    }
    return generation;
  }

  #watch(watcher: Watcher): Feed {
    const states = this.#states.get(watcher.topic) ?? new Map<string, RawState>();
    for (const state of states.values()) if (watcher.key === undefined || watcher.key === state.key) watcher.onState(state);
    this.#watchers.add(watcher);
    return {
      close: async () => {
        this.#watchers.delete(watcher);
      },
    };
  }

  async #putEvent({ name, groups }: TopicGroups, event: NewEvent, signal: AbortSignal): Promise<void> {
    await this.#eventTopic(name).put(event, groups, signal);
  }

  #consume({ name, groups }: TopicGroups, group: string, run: (event: RawEvent) => Promise<DeliveryVerdict>): Feed {
    const topic = this.#eventTopic(name);
    for (const each of groups) topic.group(each);
    return topic.group(group).join(run);
  }

  #deadLetters(topic: string, group: string): DeadLetter[] {
    return [...this.#eventTopic(topic).group(group).deadLetters];
  }

  #eventTopic(name: string): MemoryEventTopic {
    let topic = this.#events.get(name);
    if (topic === undefined) this.#events.set(name, (topic = new MemoryEventTopic(this.#settings)));
    return topic;
  }
}
