import { DeliverPolicy, DiscardPolicy, type JsMsg, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { RawEvent } from '../bus/backend.ts';
import type { ParkedEvent } from '../bus/bus.ts';
import type { BusSettings } from '../bus/bus-options.ts';
import type { NatsLink } from './nats-link.ts';
import type { NatsNames } from './nats-names.ts';
import { ensureStream, Once } from './nats-stream.ts';

const idHeader = 'Quartermaster-Id';
const attemptsHeader = 'Quartermaster-Attempts';
const publishedHeader = 'Quartermaster-Published-At';
/** Percent-encoded: headers are ASCII without line ends. */
const reasonHeader = 'Quartermaster-Reason';
const longestReason = 1_000;

/** The stream of events that groups could not handle. Full, it refuses, and nothing in it is ever dropped by itself. */
export class NatsParking {
  readonly #link: NatsLink;
  readonly #names: NatsNames;
  readonly #stream: Once<unknown>;

  constructor(link: NatsLink, names: NatsNames, settings: BusSettings) {
    this.#link = link;
    this.#names = names;
    this.#stream = new Once(() =>
      ensureStream(link, {
        name: names.parkedStream,
        subjects: [names.parkedSubjects],
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        max_msgs: settings.parkedCapacity,
        discard: DiscardPolicy.New,
      }),
    );
    link.onReconnect(() => this.#stream.forget());
  }

  /** Resolves when the server has it. Parking one event of a group again within two minutes has no effect. */
  async park(topic: string, group: string, event: RawEvent, reason: string): Promise<void> {
    await this.#stream.get();
    const facts = headers();
    facts.set(idHeader, event.id);
    facts.set(attemptsHeader, String(event.attempt));
    facts.set(publishedHeader, event.publishedAt.toISOString());
    facts.set(reasonHeader, encodeURIComponent(reason.toWellFormed().slice(0, longestReason).toWellFormed()));
    const subject = this.#names.parkedSubject(topic, group, event.key);
    await this.#link.jetStream.publish(subject, event.bytes, { headers: facts, msgID: `${topic}/${group}/${event.id}` });
  }

  async list(topic: string, group: string): Promise<ParkedEvent[]> {
    await this.#stream.get();
    const consumer = await this.#link.jetStream.consumers.get(this.#names.parkedStream, {
      filter_subjects: this.#names.parkedSubject(topic, group),
      deliver_policy: DeliverPolicy.All,
    });
    const { num_pending: count } = await consumer.info(true);
    if (count === 0) return [];
    const parked: ParkedEvent[] = [];
    for await (const message of await consumer.fetch({ max_messages: count, expires: 5_000 })) parked.push(this.#parkedEvent(message));
    return parked;
  }

  #parkedEvent(message: JsMsg): ParkedEvent {
    const fact = (name: string): string => message.headers?.get(name) ?? '';
    return {
      id: fact(idHeader),
      key: this.#names.keyOf(message.subject),
      bytes: message.data,
      publishedAt: new Date(fact(publishedHeader)),
      attempts: Number(fact(attemptsHeader)),
      reason: decodeURIComponent(fact(reasonHeader)),
    };
  }
}
