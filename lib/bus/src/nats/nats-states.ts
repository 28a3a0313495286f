import { type ConsumerMessages, DeliverPolicy, DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { Content, Feed, RawState } from '../bus/backend.ts';
import type { BusSettings } from '../bus/bus-options.ts';
import type { Generation } from '../topics/generation.ts';
import { fromHeaders, toHeaders } from './nats-carried.ts';
import type { NatsLink } from './nats-link.ts';
import type { NatsNames } from './nats-names.ts';
import { startNatsSession } from './nats-session.ts';
import { ensureStream, Once } from './nats-stream.ts';

/**
 * States on a stream that keeps one message per subject. A subscriber reads it with an ordered consumer that begins with the last
 * message of each subject; its callback takes each message at once, so nothing piles up here or there.
 */
export class NatsStates {
  readonly #link: NatsLink;
  readonly #names: NatsNames;
  readonly #settings: BusSettings;
  /** The epoch: when the stream was made. A server that lost its data makes a new one, with sequences from 1. */
  readonly #stream: Once<number>;

  constructor(link: NatsLink, names: NatsNames, settings: BusSettings) {
    this.#link = link;
    this.#names = names;
    this.#settings = settings;
    this.#stream = new Once(() => this.#ensureStream());
    link.onReconnect(() => this.#stream.forget());
  }

  put(topic: string, key: string, { bytes, carried }: Content, signal: AbortSignal): Promise<Generation> {
    return this.#link.persistently(`publish to ${topic}`, signal, async () => {
      const epoch = await this.#stream.get();
      try {
        const { seq } = await this.#link.jetStream.publish(this.#names.stateSubject(topic, key), bytes, toHeaders(carried));
        return { epoch, sequence: seq };
      } catch (error) {
        this.#stream.forget();
        throw error;
      }
    });
  }

  get(topic: string, key: string, signal: AbortSignal): Promise<RawState | undefined> {
    return this.#link.persistently(`read ${topic}`, signal, async () => {
      const epoch = await this.#stream.get();
      const last = { last_by_subj: this.#names.stateSubject(topic, key) };
      const message = await this.#link.manager.streams.getMessage(this.#names.stateStream, last);
      if (message === null) return undefined;
      const generation = { epoch, sequence: message.seq };
      return { key, bytes: message.data, carried: fromHeaders(message.header), generation, publishedAt: message.time };
    });
  }

  watch(topic: string, key: string | undefined, onState: (state: RawState) => void, signal: AbortSignal): Promise<Feed> {
    const open = async (attempt: AbortSignal): Promise<ConsumerMessages> => {
      this.#stream.forget();
      const epoch = await this.#stream.get();
      const consumer = await this.#link.jetStream.consumers.get(this.#names.stateStream, {
        filter_subjects: this.#names.stateSubject(topic, key),
        deliver_policy: DeliverPolicy.LastPerSubject,
      });
      attempt.throwIfAborted();
      return consumer.consume({
        max_messages: 200,
        idle_heartbeat: 5_000,
        abort_on_missing_resource: true,
        callback: (message) =>
          onState({
            key: this.#names.keyOf(message.subject),
            bytes: message.data,
            carried: fromHeaders(message.headers),
            generation: { epoch, sequence: message.seq },
            publishedAt: message.time,
          }),
      });
    };
    const read = async (messages: ConsumerMessages): Promise<void> => {
      const error = await messages.closed();
      if (error instanceof Error) throw error;
    };
    return startNatsSession({ link: this.#link, settings: this.#settings, doing: `subscribe to ${topic}`, open, read }, signal);
  }

  async #ensureStream(): Promise<number> {
    const info = await ensureStream(this.#link, {
      name: this.#names.stateStream,
      subjects: [this.#names.stateSubjects],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      max_msgs_per_subject: 1,
      discard: DiscardPolicy.Old,
    });
    return Date.parse(info.created);
  }
}
