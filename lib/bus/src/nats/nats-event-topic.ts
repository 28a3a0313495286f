import { AckPolicy, type ConsumerInfo, DeliverPolicy, DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { StatusError } from '@quartermaster/kernel';
import type { TopicGroups } from '../bus/backend.ts';
import type { BusSettings } from '../bus/bus-options.ts';
import { laneCount } from '../delivery/lane.ts';
import type { NatsLink } from './nats-link.ts';
import type { NatsNames } from './nats-names.ts';
import { ensureStream, Once } from './nats-stream.ts';

export interface NatsTopicSettings extends BusSettings {
  /** How long the server waits for a sign of life from whoever has an event before it gives it to another. */
  readonly ackWaitMs: number;
}

/** Publishing the same id again within this time has no effect. */
const duplicateWindowMs = 120_000;

/**
 * The stream of one event topic and a durable consumer for each lane of each group. The consumers exist before the first event is
 * published and begin with what comes after them; each gives out one event at a time. The stream refuses new events when it is
 * full; then `reclaim` removes what every group has handled. (Streams that remove each event with its last acknowledgement
 * were found to lose events when a server is killed: ADR 0009.)
 */
export class NatsEventTopic {
  readonly #topic: TopicGroups;
  readonly #link: NatsLink;
  readonly #names: NatsNames;
  readonly #settings: NatsTopicSettings;
  readonly #setUp = new Once(() => this.#prepare());

  constructor(topic: TopicGroups, link: NatsLink, names: NatsNames, settings: NatsTopicSettings) {
    this.#topic = topic;
    this.#link = link;
    this.#names = names;
    this.#settings = settings;
    link.onReconnect(() => this.forget());
  }

  /** Has the next call look at the server again. */
  forget(): void {
    this.#setUp.forget();
  }

  /** Resolves when the stream and all consumers are there. */
  async ensure(): Promise<void> {
    await this.#setUp.get();
  }

  async consumer(group: string, lane: number): Promise<ConsumerInfo> {
    const name = this.#names.laneConsumer(group, lane);
    const info = (await this.#setUp.get()).get(name);
    if (info === undefined) throw new StatusError('internal', `topic ${this.#topic.name} has no consumer ${name}`);
    return info;
  }

  /** Removes events that every group has handled. Resolves with whether there were any. */
  async reclaim(): Promise<boolean> {
    const stream = this.#names.eventStream(this.#topic.name);
    const { state } = await this.#link.manager.streams.info(stream);
    let handled = state.last_seq;
    for await (const { num_pending, num_ack_pending, ack_floor } of this.#link.manager.consumers.list(stream)) {
      // A lane that is up to date now had handled everything that there was when the state was read.
      if (num_pending + num_ack_pending > 0) handled = Math.min(handled, ack_floor.stream_seq);
    }
    // The last event stays where it can: with it a server that is killed remembers for certain how far the sequences were.
    const upTo = this.#settings.maxPendingEvents > 1 ? Math.min(handled, state.last_seq - 1) : handled;
    if (upTo < state.first_seq) return false;
    const { purged } = await this.#link.manager.streams.purge(stream, { seq: upTo + 1 });
    return purged > 0;
  }

  async #prepare(): Promise<Map<string, ConsumerInfo>> {
    const { name, groups } = this.#topic;
    const stream = this.#names.eventStream(name);
    const { state } = await ensureStream(this.#link, {
      name: stream,
      subjects: [this.#names.eventSubjects(name)],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      max_msgs: this.#settings.maxPendingEvents,
      discard: DiscardPolicy.New,
      duplicate_window: nanos(duplicateWindowMs),
    });
    const wanted = groups.flatMap((group) => Array.from({ length: laneCount }, (_, lane) => ({ group, lane })));
    const infos = await Promise.all(wanted.map(({ group, lane }) => this.#addConsumer(stream, group, lane)));
    if (state.consumer_count > wanted.length) await this.#reportStrangers(stream, new Set(infos.map((info) => info.name)));
    return new Map(infos.map((info) => [info.name, info]));
  }

  #addConsumer(stream: string, group: string, lane: number): Promise<ConsumerInfo> {
    return this.#link.manager.consumers.add(stream, {
      durable_name: this.#names.laneConsumer(group, lane),
      filter_subject: this.#names.laneSubjects(this.#topic.name, lane),
      deliver_policy: DeliverPolicy.New,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(this.#settings.ackWaitMs),
      max_ack_pending: 1,
      max_deliver: -1,
    });
  }

  /** A group that was taken out of the contract still holds events back; only a person knows that it is gone for good. */
  async #reportStrangers(stream: string, ours: ReadonlySet<string>): Promise<void> {
    const strangers: string[] = [];
    for await (const { name } of this.#link.manager.consumers.list(stream)) if (!ours.has(name)) strangers.push(name);
    if (strangers.length === 0) return;
    this.#settings.log.warn('a stream has consumers that its topic does not declare; events wait for them', {
      topic: this.#topic.name,
      stream,
      consumers: strangers,
      wayOut: `nats consumer rm ${stream} NAME`,
    });
  }
}
