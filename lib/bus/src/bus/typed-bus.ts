import { Backoff, createUuidV7, type EventTopic, messageOf, type StateTopic, StatusError, type Topic } from '@quartermaster/kernel';
import { abortable, withDeadline } from '../delivery/deadline.ts';
import { KeyOrder } from '../delivery/key-order.ts';
import { LatestPublisher } from '../delivery/latest-publisher.ts';
import { LatestRunner } from '../delivery/latest-runner.ts';
import { type DeliveryVerdict, done, verdictOnError } from '../delivery/verdict.ts';
import { compareGenerations, type Generation } from '../topics/generation.ts';
import { decodePayload, encodePayload } from '../topics/payload.ts';
import { checkGroup, checkId, checkKey } from '../topics/topic.ts';
import type { BusBackend, Content, RawEvent, RawState } from './backend.ts';
import type {
  Bus,
  BusCounters,
  BusStatus,
  DeadLetter,
  EventMessage,
  EventSubscribeOptions,
  Handler,
  PublishEventOptions,
  StateMessage,
  StateSubscribeOptions,
  Subscription,
} from './bus.ts';
import type { BusSettings } from './bus-options.ts';
import { Subscriptions } from './subscriptions.ts';

/** The bus as its users see it, over a backend that knows bytes only. */
export class TypedBus implements Bus {
  readonly #backend: BusBackend;
  readonly #settings: BusSettings;
  readonly #newId: () => string;
  readonly #subscriptions = new Subscriptions();
  readonly #eventOrder = new KeyOrder();
  readonly #closing = new AbortController();
  readonly #states: LatestPublisher<Content, Generation>;
  readonly #counters: BusCounters = {
    statesPublished: 0,
    statesHandled: 0,
    statesSkipped: 0,
    eventsPublished: 0,
    eventsHandled: 0,
    eventsRetried: 0,
    eventsDeadLettered: 0,
  };
  #closed: Promise<void> | undefined;

  constructor(backend: BusBackend, settings: BusSettings) {
    this.#backend = backend;
    this.#settings = settings;
    this.#newId = createUuidV7(settings);
    this.#states = new LatestPublisher((address, content) => this.#sendState(address, content));
  }

  publish<T>(topic: StateTopic<T>, value: T, options?: PublishEventOptions): Promise<Generation>;
  publish<T>(topic: EventTopic<T>, value: T, options?: PublishEventOptions): Promise<string>;
  async publish<T>(topic: Topic<T>, value: T, options: PublishEventOptions = {}): Promise<Generation | string> {
    const { key = '', signal } = options;
    this.#checkOpen(`publish to ${topic.name}`);
    signal?.throwIfAborted();
    checkKey(topic.name, key);
    if (options.id !== undefined) checkId(topic.name, options.id);
    const content = { bytes: encodePayload(topic, value), carried: this.#settings.context.outgoing() };
    if (topic.kind === 'event') return this.#publishEvent(topic, content, options);
    if (this.#backend.putStateNow !== undefined) return this.#stored(this.#backend.putStateNow(topic.name, key, content));
    return abortable(this.#states.publish(addressOf(topic.name, key), content), signal);
  }

  subscribe<T>(topic: StateTopic<T>, handler: Handler<StateMessage<T>>, options?: StateSubscribeOptions): Promise<Subscription>;
  subscribe<T>(topic: EventTopic<T>, handler: Handler<EventMessage<T>>, options: EventSubscribeOptions): Promise<Subscription>;
  async subscribe<T>(
    topic: Topic<T>,
    handler: Handler<StateMessage<T> & EventMessage<T>>,
    options: StateSubscribeOptions & Partial<EventSubscribeOptions> = {},
  ): Promise<Subscription> {
    if (this.#closed !== undefined) throw closedError(`subscribe to ${topic.name}`);
    options.signal?.throwIfAborted();
    if (topic.kind === 'state') return this.#subscribeStates(topic, handler as Handler<StateMessage<T>>, options);
    return this.#subscribeEvents(topic, handler as Handler<EventMessage<T>>, options);
  }

  async current<T>(topic: StateTopic<T>, { key = '', signal }: StateSubscribeOptions = {}): Promise<StateMessage<T> | undefined> {
    this.#checkOpen(`read ${topic.name}`);
    checkKey(topic.name, key);
    const state = await this.#withDeadline(`read ${topic.name}`, signal, (limited) => this.#backend.getState(topic.name, key, limited));
    return state === undefined ? undefined : stateMessage(topic, state);
  }

  async deadLetters(topic: EventTopic<unknown>, { group, signal }: EventSubscribeOptions): Promise<DeadLetter[]> {
    const doing = `read the dead letters of ${topic.name}`;
    this.#checkOpen(doing);
    checkGroup(topic, group);
    return this.#withDeadline(doing, signal, (limited) => this.#backend.deadLetters(topic.name, group, limited));
  }

  status(): BusStatus {
    const link = this.#closed === undefined ? this.#backend.link() : { ...this.#backend.link(), state: 'closed' as const };
    return { kind: this.#backend.kind, ...link, counters: { ...this.#counters } };
  }

  close(signal?: AbortSignal): Promise<void> {
    this.#closed ??= this.#close(signal);
    return this.#closed;
  }

  async #close(signal: AbortSignal | undefined): Promise<void> {
    try {
      await abortable(this.#subscriptions.closeAll(), signal);
    } catch {
      this.#settings.log.warn('closing the bus while handlers still run; their events will be delivered again');
    }
    this.#closing.abort(closedError('finish'));
    await this.#backend.close();
  }

  async #publishEvent<T>(topic: EventTopic<T>, content: Content, options: PublishEventOptions): Promise<string> {
    const { id = this.#newId(), key = '', signal } = options;
    await this.#withDeadline(`publish ${id} to ${topic.name}`, signal, (limited) => {
      const send = (): Promise<void> => this.#backend.putEvent(topic, { ...content, id, key }, limited);
      return key === '' ? send() : this.#eventOrder.run(addressOf(topic.name, key), send, limited);
    });
    this.#counters.eventsPublished += 1;
    return id;
  }

  async #sendState(address: string, content: Content): Promise<Generation> {
    const { topic, key } = parseAddress(address);
    const put = (signal: AbortSignal): Promise<Generation> => this.#backend.putState(topic, key, content, signal);
    return this.#stored(await this.#withDeadline(`publish to ${topic}`, undefined, put));
  }

  #stored(generation: Generation): Generation {
    this.#counters.statesPublished += 1;
    return generation;
  }

  async #subscribeStates<T>(
    topic: StateTopic<T>,
    handler: Handler<StateMessage<T>>,
    options: StateSubscribeOptions,
  ): Promise<Subscription> {
    if (options.key !== undefined) checkKey(topic.name, options.key);
    const runners = new Map<string, LatestRunner<RawState>>(); // key -> its runner
    const onState = (state: RawState): void => {
      let runner = runners.get(state.key);
      if (runner === undefined) runners.set(state.key, (runner = this.#stateRunner(topic, handler)));
      runner.offer(state);
    };
    const feed = await this.#withDeadline(`subscribe to ${topic.name}`, options.signal, (signal) =>
      this.#backend.watchStates(topic.name, options.key, onState, signal),
    );
    const close = async (): Promise<void> => {
      const feedClosed = feed.close();
      await Promise.all([feedClosed, ...[...runners.values()].map((runner) => runner.close())]);
    };
    return this.#keep(topic, close, options.signal);
  }

  #stateRunner<T>(topic: StateTopic<T>, handler: Handler<StateMessage<T>>): LatestRunner<RawState> {
    const { clock, random, backoff, log, context } = this.#settings;
    return new LatestRunner<RawState>({
      handle: async (state, signal) => context.run(state.carried, () => handler(stateMessage(topic, state), signal)),
      isNewer: (state, than) => compareGenerations(state.generation, than.generation) > 0,
      clock,
      backoff: new Backoff(backoff, random),
      onHandled: () => (this.#counters.statesHandled += 1),
      onSkipped: () => (this.#counters.statesSkipped += 1),
      onError: (error, { key }) => log.warn('handler of a state failed', { topic: topic.name, key, error: messageOf(error) }),
    });
  }

  async #subscribeEvents<T>(
    topic: EventTopic<T>,
    handler: Handler<EventMessage<T>>,
    { group = '', signal }: Partial<EventSubscribeOptions>,
  ): Promise<Subscription> {
    checkGroup(topic, group);
    const closing = new AbortController();
    const run = (event: RawEvent): Promise<DeliveryVerdict> => this.#runEvent(topic, group, handler, event, closing.signal);
    const feed = await this.#withDeadline(`subscribe to ${topic.name}`, signal, (limited) =>
      this.#backend.consumeEvents(topic, group, run, limited),
    );
    const close = (): Promise<void> => {
      closing.abort(closedError(`handle ${topic.name}`));
      return feed.close();
    };
    return this.#keep(topic, close, signal);
  }

  /** The bus may have been closed while the backend made the subscription. */
  async #keep({ name }: { readonly name: string }, close: () => Promise<void>, signal: AbortSignal | undefined): Promise<Subscription> {
    if (this.#closed === undefined) return this.#subscriptions.add(close, signal);
    await close();
    throw closedError(`subscribe to ${name}`);
  }

  async #runEvent<T>(
    topic: EventTopic<T>,
    group: string,
    handler: Handler<EventMessage<T>>,
    event: RawEvent,
    signal: AbortSignal,
  ): Promise<DeliveryVerdict> {
    const { id, key, publishedAt, attempt, carried } = event;
    try {
      const message = { id, key, value: decodePayload(topic, event.bytes), publishedAt, attempt };
      await this.#settings.context.run(carried, () => handler(message, signal));
      this.#counters.eventsHandled += 1;
      return done;
    } catch (error) {
      // Being closed is nobody's failure: whoever takes the event next should not wait for it.
      if (signal.aborted) return { kind: 'again', afterMs: 0 };
      const verdict = verdictOnError(error, attempt, this.#settings.retry, this.#settings.random);
      const facts = { topic: topic.name, group, id, key, attempt, error: messageOf(error) };
      if (verdict.kind === 'dead-letter') {
        this.#counters.eventsDeadLettered += 1;
        this.#settings.log.error('event moved to the dead letters: its handler cannot handle it', facts);
      } else {
        this.#counters.eventsRetried += 1;
        this.#settings.log.warn('handler of an event failed', facts);
      }
      return verdict;
    }
  }

  #withDeadline<R>(doing: string, signal: AbortSignal | undefined, task: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const { clock, timeoutMs } = this.#settings;
    const reason = (): StatusError => new StatusError('unavailable', `could not ${doing} within ${timeoutMs} ms; try again`);
    return withDeadline(task, { clock, afterMs: timeoutMs, reason, signals: [signal, this.#closing.signal] });
  }

  /** Handlers that run while the bus is being closed may still publish. */
  #checkOpen(doing: string): void {
    if (this.#closing.signal.aborted) throw closedError(doing);
  }
}

function stateMessage<T>(topic: StateTopic<T>, { key, bytes, generation, publishedAt }: RawState): StateMessage<T> {
  return { key, value: decodePayload(topic, bytes), generation, publishedAt };
}

const addressOf = (topic: string, key: string): string => `${topic}/${key}`;

function parseAddress(address: string): { topic: string; key: string } {
  const slash = address.indexOf('/');
  return { topic: address.slice(0, slash), key: address.slice(slash + 1) };
}

function closedError(doing: string): StatusError {
  return new StatusError('failed_precondition', `cannot ${doing}: the bus is closed`);
}
