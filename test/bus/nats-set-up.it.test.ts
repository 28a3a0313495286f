import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bus, connectNatsBus, type EventMessage, eventTopic, type NatsBusOptions } from '@quartermaster/bus';
import { FakeClock, type Log, silentLog } from '@quartermaster/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../kube/certificates.ts';
import { eventually, gate, type Note, note, notes, orders, quick } from './bus-fixture.ts';
import { hasNatsServer, NatsServer, type NatsServerFlags } from './nats-server.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe.skipIf(!hasNatsServer())('the bus on NATS', () => {
  const ends: (() => unknown)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  const startServer = async (flags?: NatsServerFlags): Promise<NatsServer> => {
    const server = await NatsServer.start(flags);
    ends.push(() => server.stop());
    return server;
  };

  const open = async (options: NatsBusOptions): Promise<Bus> => {
    const bus = await connectNatsBus({ ...quick, ackWaitMs: 2_000, ...options });
    ends.push(() => bus.close(AbortSignal.timeout(1_000)));
    return bus;
  };

  it('goes on where a consumer that was killed left off', async () => {
    const { url } = await startServer();
    const bus = await open({ servers: url });
    for (const i of range(10)) await bus.publish(orders(), note(i), { key: 'k' });
    const worker = fork(fileURLToPath(new URL('./nats-worker.ts', import.meta.url)), [url, '4'], { execArgv: [] });
    ends.push(() => worker.kill('SIGKILL'));
    const told: unknown[] = [];
    worker.on('message', (message) => void told.push(message));
    await eventually(() => expect(told.at(-1)).toEqual({ holding: '4' }));
    const gone = once(worker, 'exit');
    worker.kill('SIGKILL');
    await gone;
    expect(told.slice(0, -1)).toEqual(range(4).map((i) => ({ handled: String(i) })));

    const seen: string[] = [];
    await bus.subscribe(orders(), ({ value, attempt }) => void seen.push(`${value.text} ${attempt}`), { group: 'a' });
    await eventually(() => expect(seen).toEqual(['4 2', '5 1', '6 1', '7 1', '8 1', '9 1']));
  });

  it('leaves an event with a handler that takes long, and takes it from one that shows no sign of life', async () => {
    const { url } = await startServer();
    const control = eventTopic<Note>('control', { groups: ['a'] });
    // Longer than a busy machine stands still: that would be no sign of life either.
    const options = { servers: url, ackWaitMs: 3_000 };
    const stillClock = await open({ ...options, clock: new FakeClock() });
    const [bus, other] = [await open(options), await open(options)];
    const [held, taken] = [gate(), gate()];
    const seen: string[] = [];
    const handler = async ({ value }: EventMessage<Note>): Promise<void> => {
      seen.push(value.text);
      if (value.text === 'long') await taken.opened;
    };
    await bus.subscribe(orders(), handler, { group: 'a' });
    await other.subscribe(orders(), handler, { group: 'a' });
    await bus.publish(orders(), note('long'), { key: 'k' });
    await bus.publish(orders(), note('next'), { key: 'k' });
    await eventually(() => expect(seen).toEqual(['long']));

    const neverEnds = async (): Promise<void> => {
      held.open();
      await new Promise(() => undefined);
    };
    await stillClock.subscribe(control, neverEnds, { group: 'a' });
    await bus.publish(control, note('control'));
    await held.opened;
    await bus.subscribe(control, () => taken.open(), { group: 'a' });
    await eventually(() => expect(seen).toEqual(['long', 'next']));
  });

  it('is set up by several clients at once, and takes on a new capacity', async () => {
    const { url } = await startServer();
    const buses = await Promise.all(range(5).map(() => open({ servers: url, maxPendingEvents: 2 })));
    await Promise.all(buses.slice(0, 2).map((bus, i) => bus.publish(orders(), note(i))));
    const roomier = await open({ servers: url, maxPendingEvents: 100 });
    await Promise.all(range(50).map((i) => roomier.publish(orders(), note(i))));
    expect(roomier.status().counters.eventsPublished).toBe(50);
  });

  it('reports a group that is no longer declared', async () => {
    const { url } = await startServer();
    const before = await open({ servers: url });
    await before.publish(orders('a', 'former'), note(1));
    const warnings: unknown[] = [];
    const log: Log = { ...silentLog, warn: (message, fields) => void warnings.push({ message, ...fields }) };
    const after = await open({ servers: url, log });
    await after.publish(orders('a'), note(2));
    expect(warnings).toMatchObject([{ topic: 'orders', consumers: expect.arrayContaining(['former_0', 'former_7']) }]);
  });

  it('logs in with user and password, and says nothing of them when they are wrong', async () => {
    const { url } = await startServer({ user: 'bus', password: 'right-secret' });
    const bus = await open({ servers: url, user: 'bus', password: 'right-secret' });
    await bus.publish(notes(), note(1));
    const refused: unknown = await open({ servers: url, user: 'bus', password: 'wrong-secret' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'unauthenticated', message: expect.stringContaining('check the user and password') });
    expect(String(refused) + JSON.stringify(refused)).not.toContain('secret');
  });

  it('logs in with a token', async () => {
    const { url } = await startServer({ token: 'right-token' });
    const bus = await open({ servers: url, token: 'right-token' });
    await bus.publish(notes(), note(1));
    await expect(open({ servers: url })).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('trusts a server by the authority that it is given', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bus-tls-'));
    ends.push(() => rmSync(folder, { recursive: true }));
    const authority = await createCertificateAuthority('bus');
    const issued = await authority.issueServer({ commonName: 'nats', hosts: ['localhost'] });
    const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    writeFileSync(tls.cert, issued.certificate);
    writeFileSync(tls.key, issued.key);
    const { port } = await startServer({ tls });
    const servers = `tls://localhost:${port}`;
    const bus = await open({ servers, tls: { ca: authority.certificate } });
    await bus.publish(notes(), note('encrypted'));
    expect((await bus.current(notes()))?.value).toEqual(note('encrypted'));
    const refused = open({ servers });
    await expect(refused).rejects.toMatchObject({ code: 'failed_precondition', message: expect.stringContaining('check tls.ca') });
  });

  it('refuses a server without JetStream, and says how to start it', async () => {
    const { url } = await startServer({ jetStream: false });
    await expect(open({ servers: url, timeoutMs: 3_000 })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('nats-server -js'),
    });
  });

  it('gives up on a server that never answers, and names it', async () => {
    const server = await startServer();
    await server.kill();
    await expect(open({ servers: server.url, timeoutMs: 300 })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(server.url),
    });
  });

  it('waits for a server that starts later', async () => {
    const server = await startServer();
    await server.kill();
    const opening = open({ servers: server.url });
    await server.startAgain();
    const bus = await opening;
    await bus.publish(notes(), note(1));
    expect(bus.status().state).toBe('connected');
  });

  it.each([
    ['a URL with a password', 'nats://bus:hush@127.0.0.1:4222', /servers: a URL contains credentials/],
    ['another scheme', 'https://127.0.0.1:4222', /servers: an entry is not of the form/],
    ['no server', [], /servers is empty/],
  ])('refuses %s without repeating it', async (_what, servers, message) => {
    const refused: unknown = await open({ servers }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'invalid_argument', message: expect.stringMatching(message) });
    expect(String(refused)).not.toContain('hush');
  });

  it('refuses a prefix that cannot name a stream', async () => {
    await expect(open({ servers: 'nats://127.0.0.1:4222', prefix: 'A.b' })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
