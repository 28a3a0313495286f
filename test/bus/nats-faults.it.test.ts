import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Bus, connectNatsBus, type NatsBusOptions, type StateMessage } from '@quartermaster/bus';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LoopbackProxy } from '../support/loopback-proxy.ts';
import { eventually, type Note, note, notes, orders, quick } from './bus-fixture.ts';
import { hasNatsServer, NatsServer } from './nats-server.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe.skipIf(!hasNatsServer())('the bus on a NATS server in trouble', () => {
  let server: NatsServer;
  let proxy: LoopbackProxy;
  let buses: Bus[];

  beforeEach(async () => {
    server = await NatsServer.start();
    proxy = await LoopbackProxy.start(server.url);
    buses = [];
  });

  afterEach(async () => {
    await Promise.all(buses.map((bus) => bus.close(AbortSignal.timeout(1_000))));
    await proxy.stop();
    await server.stop();
  });

  const open = async (options: Partial<NatsBusOptions> = {}): Promise<Bus> => {
    const bus = await connectNatsBus({ ...quick, servers: server.url, ackWaitMs: 2_000, ...options });
    buses.push(bus);
    return bus;
  };

  const openThroughProxy = (options: Partial<NatsBusOptions> = {}): Promise<Bus> =>
    open({ servers: proxy.url.replace('https:', 'nats:'), ...options });

  /** Publishes numbered events over some keys, `inFlight` at a time. */
  const publishAll = async (bus: Bus, count: number, onPublished: (published: number) => void): Promise<void> => {
    let published = 0;
    for (let from = 0; from < count; from += 10) {
      await Promise.all(range(10).map((i) => bus.publish(orders(), note(from + i), { key: `key-${i % 5}`, id: `event-${from + i}` })));
      published += 10;
      onPublished(published);
    }
  };

  /** Repeated deliveries are allowed; an event that comes first after a later one of its key is not. */
  const expectOrderPerKey = (seen: readonly { readonly key: string; readonly number: number }[]): void => {
    for (const key of new Set(seen.map((each) => each.key))) {
      const firsts = [...new Set(seen.filter((each) => each.key === key).map((each) => each.number))];
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    }
  };

  it('loses no event and no order when the server is killed and started again', async () => {
    const publisher = await open();
    const consumer = await open();
    const seen: { readonly key: string; readonly number: number }[] = [];
    await consumer.subscribe(orders(), ({ key, value }) => void seen.push({ key, number: Number(value.text) }), { group: 'a' });
    const restarts: Promise<void>[] = [];
    const killAndStart = async (): Promise<void> => {
      await server.kill();
      await server.startAgain();
    };
    await publishAll(publisher, 600, (published) => {
      if (published === 200 || published === 400) restarts.push((restarts.at(-1) ?? Promise.resolve()).then(killAndStart));
    });
    await Promise.all(restarts);
    await eventually(() => expect(new Set(seen.map((each) => each.number)).size).toBe(600));
    expectOrderPerKey(seen);
    await eventually(() => expect(publisher.status()).toMatchObject({ state: 'connected', reconnects: 2 }));
  });

  it('loses no event and no order when connections are cut', async () => {
    const publisher = await openThroughProxy();
    const consumer = await openThroughProxy();
    const seen: { readonly key: string; readonly number: number }[] = [];
    await consumer.subscribe(orders(), ({ key, value }) => void seen.push({ key, number: Number(value.text) }), { group: 'a' });
    await publishAll(publisher, 500, (published) => {
      if (published % 100 === 0) proxy.cut();
    });
    await eventually(() => expect(new Set(seen.map((each) => each.number)).size).toBe(500));
    expectOrderPerKey(seen);
    await eventually(() => expect(Math.min(publisher.status().reconnects, consumer.status().reconnects)).toBeGreaterThanOrEqual(1));
  });

  it('notices a half-open connection and replaces it', async () => {
    const bus = await openThroughProxy({ pingIntervalMs: 100 });
    const seen: string[] = [];
    await bus.subscribe(notes(), ({ value }) => void seen.push(value.text));
    proxy.freezeOpenConnections();
    const direct = await open();
    await direct.publish(notes(), note('meanwhile'));
    await eventually(() => expect(seen).toEqual(['meanwhile']));
    // On a busy machine a connection that is well may be silent for so long, too.
    await eventually(() => expect(bus.status().state).toBe('connected'));
    expect(bus.status().reconnects).toBeGreaterThanOrEqual(1);
  });

  it('keeps values over a restart, and tells subscribers what they missed', async () => {
    const bus = await openThroughProxy();
    const direct = await open();
    const seen: StateMessage<Note>[] = [];
    await bus.subscribe(notes(), (message) => void seen.push(message));
    await direct.publish(notes(), note('before'));
    await eventually(() => expect(seen).toHaveLength(1));
    proxy.mode = 'refuse';
    proxy.cut();
    await eventually(() => expect(bus.status().state).toBe('reconnecting'));
    await direct.publish(notes(), note('missed'));
    await direct.publish(notes(), note('newest'));
    await server.kill();
    await server.startAgain();
    proxy.mode = 'forward';
    await eventually(() => expect(seen.map(({ value }) => value.text)).toEqual(['before', 'newest']));
    expect(seen[1]?.generation.epoch).toBe(seen[0]?.generation.epoch);
    expect((await direct.current(notes()))?.value).toEqual(note('newest'));
  });

  it('waits with publishing until the server is back', async () => {
    const bus = await open();
    await bus.publish(orders(), note(0), { key: 'k' });
    await server.kill();
    await eventually(() => expect(bus.status().state).toBe('reconnecting'));
    const events = [1, 2, 3].map((i) => bus.publish(orders(), note(i), { key: 'k' }));
    const states = ['old', 'new'].map((text) => bus.publish(notes(), note(text)));
    await server.startAgain();
    await Promise.all([...events, ...states]);
    const seen: string[] = [];
    await bus.subscribe(orders(), ({ value }) => void seen.push(value.text), { group: 'a' });
    await eventually(() => expect(seen).toEqual(['0', '1', '2', '3']));
    expect((await bus.current(notes()))?.value).toEqual(note('new'));
  });

  it('says that it is reconnecting when a publication waited too long', async () => {
    const bus = await open({ timeoutMs: 2_000 });
    await server.kill();
    await eventually(() => expect(bus.status().state).toBe('reconnecting'));
    const failure = { code: 'unavailable', message: expect.stringMatching(/within 2000 ms; try again: .*reconnecting to NATS/) };
    await expect(bus.publish(orders(), note(1))).rejects.toMatchObject(failure);
    await expect(bus.publish(notes(), note(1))).rejects.toMatchObject(failure);
    await expect(bus.current(notes())).rejects.toMatchObject(failure);
  });

  it('closes at once while the server is away', async () => {
    const bus = await open();
    await bus.subscribe(orders(), () => undefined, { group: 'a' });
    await bus.subscribe(notes(), () => undefined);
    await server.kill();
    await eventually(() => expect(bus.status().state).toBe('reconnecting'));
    await bus.close();
    expect(bus.status().state).toBe('closed');
  });

  it('begins anew on a server that lost everything', async () => {
    const bus = await open();
    const values: StateMessage<Note>[] = [];
    const events: string[] = [];
    await bus.subscribe(notes(), (message) => void values.push(message));
    await bus.subscribe(orders(), ({ value }) => void events.push(value.text), { group: 'a' });
    for (const i of range(20)) await bus.publish(notes(), note(i));
    await bus.publish(orders(), note('before'), { key: 'k' });
    await eventually(() => expect(events).toEqual(['before']));
    await server.kill();
    rmSync(join(server.directory, 'data'), { recursive: true });
    await server.startAgain();
    await bus.publish(notes(), note('after'));
    await bus.publish(orders(), note('after'), { key: 'k' });
    await eventually(() => expect(values.at(-1)?.value).toEqual(note('after')));
    await eventually(() => expect(events).toEqual(['before', 'after']));
    const [first, last] = [values[0]?.generation, values.at(-1)?.generation];
    expect(last?.epoch).toBeGreaterThan(first?.epoch ?? Number.POSITIVE_INFINITY);
  });

  it('keeps dead letters over a restart', async () => {
    const bus = await open();
    await bus.subscribe(orders(), () => Promise.reject(new Error('never')), { group: 'a' });
    await bus.publish(orders(), note('bad'), { id: 'bad' });
    await eventually(async () => expect(await bus.deadLetters(orders(), { group: 'a' })).toHaveLength(1));
    await server.kill();
    await server.startAgain();
    await eventually(() => expect(bus.status().state).toBe('connected'));
    expect(await bus.deadLetters(orders(), { group: 'a' })).toMatchObject([{ id: 'bad', reason: 'never' }]);
  });

  it('goes on when the server stood still for a while', async () => {
    const bus = await open({ pingIntervalMs: 200 });
    const seen = new Set<string>();
    await bus.subscribe(orders(), ({ value }) => void seen.add(value.text), { group: 'a' });
    await bus.publish(orders(), note(0));
    await server.pause();
    const later = range(20).map((i) => bus.publish(orders(), note(i + 1)));
    await eventually(() => expect(bus.status().state).toBe('reconnecting'));
    await server.resume();
    await Promise.all(later);
    await eventually(() => expect(seen.size).toBe(21));
  });
});
