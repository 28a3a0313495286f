import { StatusError } from '@quartermaster/kernel';
import type { BusBackend } from '../bus/backend.ts';
import type { Bus } from '../bus/bus.ts';
import { type BusOptions, busSettings } from '../bus/bus-options.ts';
import { TypedBus } from '../bus/typed-bus.ts';
import { withDeadline } from '../delivery/deadline.ts';
import { NatsEvents } from './nats-events.ts';
import { NatsLink, type NatsServerOptions } from './nats-link.ts';
import { NatsNames } from './nats-names.ts';
import { NatsStates } from './nats-states.ts';

export interface NatsBusOptions extends BusOptions, NatsServerOptions {
  /** Begins the names of all streams and subjects, so that several systems can share a server. `quartermaster` when absent. */
  readonly prefix?: string | undefined;
  /** How long after its process died an event in its hands goes to another. 30 s when absent. */
  readonly ackWaitMs?: number | undefined;
  /** Ends the wait for the first connection. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A bus on a NATS server with JetStream. Waits for the first connection as long as any call does (`timeoutMs`); from then on the
 * connection comes back by itself, for ever.
 */
export async function connectNatsBus(options: NatsBusOptions): Promise<Bus> {
  const settings = { ...busSettings(options), ackWaitMs: options.ackWaitMs ?? 30_000 };
  const names = new NatsNames(options.prefix ?? 'quartermaster');
  const { clock, timeoutMs } = settings;
  const reason = (): StatusError => new StatusError('unavailable', `could not connect to NATS within ${timeoutMs} ms`);
  const link = await withDeadline((signal) => NatsLink.open(options, settings, signal), {
    clock,
    afterMs: timeoutMs,
    reason,
    signals: [options.signal],
  });
  const states = new NatsStates(link, names, settings);
  const events = new NatsEvents(link, names, settings);
  const backend: BusBackend = {
    kind: 'nats',
    putState: (topic, key, content, signal) => states.put(topic, key, content, signal),
    getState: (topic, key, signal) => states.get(topic, key, signal),
    watchStates: (topic, key, onState, signal) => states.watch(topic, key, onState, signal),
    putEvent: (topic, event, signal) => events.put(topic, event, signal),
    consumeEvents: (topic, group, run, signal) => events.consume(topic, group, run, signal),
    deadLetters: (topic, group, signal) => events.deadLetters(topic, group, signal),
    link: () => ({ state: link.state, reconnects: link.reconnects }),
    close: () => link.close(),
  };
  return new TypedBus(backend, settings);
}
