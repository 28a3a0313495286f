import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { backoffMs, messageOf, StatusError } from '@quartermaster/kernel';
import type { Feed, NewEvent, RawEvent, TopicGroups } from '../bus/backend.ts';
import type { DeadLetter } from '../bus/bus.ts';
import { laneCount, laneOf } from '../delivery/lane.ts';
import type { DeliveryVerdict } from '../delivery/verdict.ts';
import { fromHeaders, toHeaders } from './nats-carried.ts';
import { NatsDeadLetters } from './nats-dead-letters.ts';
import { jetStreamCode, jetStreamCodes } from './nats-errors.ts';
import { NatsEventTopic, type NatsTopicSettings } from './nats-event-topic.ts';
import type { NatsLink } from './nats-link.ts';
import type { NatsNames } from './nats-names.ts';
import { startNatsSession } from './nats-session.ts';

/** The server answers a request for an event by then, if only to say that there is none. */
const pullTimeoutMs = 10_000;

/** Events on streams of their own, one per topic. A subscriber asks each lane for one event after the other. */
export class NatsEvents {
  readonly #link: NatsLink;
  readonly #names: NatsNames;
  readonly #settings: NatsTopicSettings;
  readonly #deadLetters: NatsDeadLetters;
  readonly #topics = new Map<string, NatsEventTopic>(); // name and groups -> what is known of it on the server

  constructor(link: NatsLink, names: NatsNames, settings: NatsTopicSettings) {
    this.#link = link;
    this.#names = names;
    this.#settings = settings;
    this.#deadLetters = new NatsDeadLetters(link, names, settings);
  }

  async put(topic: TopicGroups, event: NewEvent, signal: AbortSignal): Promise<void> {
    const onServer = this.#topic(topic);
    const subject = this.#names.eventSubject(topic.name, laneOf(event), event.key);
    await this.#link.persistently(`publish ${event.id} to ${topic.name}`, signal, async (attempt) => {
      await onServer.ensure();
      try {
        await this.#publish(topic, onServer, subject, event, attempt);
      } catch (error) {
        if (!(error instanceof StatusError)) onServer.forget();
        throw error;
      }
    });
  }

  async consume(topic: TopicGroups, group: string, run: (event: RawEvent) => Promise<DeliveryVerdict>, signal: AbortSignal): Promise<Feed> {
    const lanes = Array.from({ length: laneCount }, (_, lane) => this.#consumeLane(topic, group, lane, run, signal));
    const outcomes = await Promise.allSettled(lanes);
    const feeds = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const close = async (): Promise<void> => {
      await Promise.all(feeds.map((feed) => feed.close()));
    };
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) return { close };
    await close();
    throw failed.reason;
  }

  deadLetters(topic: string, group: string, signal: AbortSignal): Promise<DeadLetter[]> {
    return this.#link.persistently(`read the dead letters of ${topic}`, signal, () => this.#deadLetters.list(topic, group));
  }

  async #publish(topic: TopicGroups, onServer: NatsEventTopic, subject: string, event: NewEvent, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      try {
        await this.#link.jetStream.publish(subject, event.bytes, { ...toHeaders(event.carried), msgID: event.id });
        return;
      } catch (error) {
        if (jetStreamCode(error) !== jetStreamCodes.maxMessagesExceeded) throw error;
        if (!(await onServer.reclaim())) throw this.#full(topic, error);
      }
    }
  }

  #full({ name, groups }: TopicGroups, cause: unknown): StatusError {
    const message = `topic ${name} is full: it holds ${this.#settings.maxPendingEvents} events until ${groups.join(' and ')} have handled some`;
    return new StatusError('unavailable', message, { cause });
  }

  #consumeLane(
    topic: TopicGroups,
    group: string,
    lane: number,
    run: (event: RawEvent) => Promise<DeliveryVerdict>,
    signal: AbortSignal,
  ): Promise<Feed> {
    const onServer = this.#topic(topic);
    const open = async (attempt: AbortSignal): Promise<ConsumerMessages> => {
      const info = await onServer.consumer(group, lane);
      attempt.throwIfAborted();
      const consumer = this.#link.jetStream.consumers.getConsumerFromInfo(info);
      return consumer.fetch({ max_messages: 1, expires: pullTimeoutMs });
    };
    const read = async (messages: ConsumerMessages, closing: AbortSignal): Promise<void> => {
      try {
        for await (const message of messages) {
          if (closing.aborted) message.nak();
          else await this.#handle(topic.name, group, message, run);
        }
      } catch (error) {
        onServer.forget();
        throw error;
      }
    };
    const doing = `take events of ${topic.name} for ${group}`;
    return startNatsSession({ link: this.#link, settings: this.#settings, doing, open, read }, signal);
  }

  async #handle(topic: string, group: string, message: JsMsg, run: (event: RawEvent) => Promise<DeliveryVerdict>): Promise<void> {
    const event: RawEvent = {
      id: message.headers?.get('Nats-Msg-Id') ?? '',
      key: this.#names.keyOf(message.subject),
      bytes: message.data,
      carried: fromHeaders(message.headers),
      publishedAt: message.time,
      attempt: message.info.deliveryCount,
    };
    const stopSigns = this.#giveSignsOfLife(message);
    try {
      await this.#conclude(topic, group, message, event, await run(event));
    } finally {
      stopSigns();
    }
  }

  async #conclude(topic: string, group: string, message: JsMsg, event: RawEvent, verdict: DeliveryVerdict): Promise<void> {
    switch (verdict.kind) {
      case 'done':
        message.ack();
        return;
      case 'again':
        message.nak(verdict.afterMs);
        return;
      case 'dead-letter':
        try {
          await this.#deadLetters.add(topic, group, event, verdict.reason);
          message.ack();
        } catch (error) {
          const { retry, random, log } = this.#settings;
          log.error('event could not be moved to the dead letters; it will be delivered again', {
            topic,
            group,
            id: event.id,
            error: messageOf(error),
          });
          message.nak(backoffMs(event.attempt, retry.backoff, random));
        }
    }
  }

  /** Without them the server gives the event to another once `ackWaitMs` have passed. The result ends them. */
  #giveSignsOfLife(message: JsMsg): () => void {
    const signIntervalMs = this.#settings.ackWaitMs / 3;
    let cancel = (): void => {};
    const again = (): void => {
      cancel = this.#settings.clock.schedule(signIntervalMs, () => {
        message.working();
        again();
      });
    };
    again();
    return () => cancel();
  }

  #topic(topic: TopicGroups): NatsEventTopic {
    const name = `${topic.name} ${topic.groups.join(' ')}`;
    let onServer = this.#topics.get(name);
    if (onServer === undefined) {
      this.#topics.set(name, (onServer = new NatsEventTopic(topic, this.#link, this.#names, this.#settings)));
    }
    return onServer;
  }
}
