import { DeliverPolicy, DiscardPolicy, type JsMsg, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { RawEvent } from '../bus/backend.ts';
import type { DeadLetter } from '../bus/bus.ts';
import type { BusSettings } from '../bus/bus-options.ts';
import type { NatsLink } from './nats-link.ts';
import type { NatsNames } from './nats-names.ts';
import { ensureStream, Once } from './nats-stream.ts';

const idHeader = 'Quartermaster-Id';
const attemptsHeader = 'Quartermaster-Attempts';
const publishedHeader = 'Quartermaster-Published-At';
/** Percent-encoded: headers are ASCII without line ends. */
const reasonHeader = 'Quartermaster-Reason';
const maxReasonLength = 1_000;

/** The stream of events that groups could not handle. Full, it refuses, and nothing in it is ever dropped by itself. */
export class NatsDeadLetters {
  readonly #link: NatsLink;
  readonly #names: NatsNames;
  readonly #stream: Once<unknown>;

  constructor(link: NatsLink, names: NatsNames, settings: BusSettings) {
    this.#link = link;
    this.#names = names;
    this.#stream = new Once(() =>
      ensureStream(link, {
        name: names.deadLetterStream,
        subjects: [names.deadLetterSubjects],
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        max_msgs: settings.maxDeadLetters,
        discard: DiscardPolicy.New,
      }),
    );
    link.onReconnect(() => this.#stream.forget());
  }

  /** Resolves when the server has it. Adding one event of a group again within two minutes has no effect. */
  async add(topic: string, group: string, event: RawEvent, reason: string): Promise<void> {
    await this.#stream.get();
    const facts = headers();
    facts.set(idHeader, event.id);
    facts.set(attemptsHeader, String(event.attempt));
    facts.set(publishedHeader, event.publishedAt.toISOString());
    facts.set(reasonHeader, encodeURIComponent(reason.toWellFormed().slice(0, maxReasonLength).toWellFormed()));
    const subject = this.#names.deadLetterSubject(topic, group, event.key);
    await this.#link.jetStream.publish(subject, event.bytes, { headers: facts, msgID: `${topic}/${group}/${event.id}` });
  }

  async list(topic: string, group: string): Promise<DeadLetter[]> {
    await this.#stream.get();
    const consumer = await this.#link.jetStream.consumers.get(this.#names.deadLetterStream, {
      filter_subjects: this.#names.deadLetterSubject(topic, group),
      deliver_policy: DeliverPolicy.All,
    });
    const { num_pending: count } = await consumer.info(true);
    if (count === 0) return [];
    const found: DeadLetter[] = [];
    for await (const message of await consumer.fetch({ max_messages: count, expires: 5_000 })) found.push(this.#deadLetterOf(message));
    return found;
  }

  #deadLetterOf(message: JsMsg): DeadLetter {
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
