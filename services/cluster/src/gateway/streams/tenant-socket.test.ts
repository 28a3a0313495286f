import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { FakeSocket } from '../../../test/fake-socket.ts';
import { closeCodes, StreamEnd } from './close-codes.ts';
import { TenantSocket } from './tenant-socket.ts';

const KiB = 1024;

function connected() {
  const clock = new FakeClock();
  const tenant = new FakeSocket();
  const socket = new TenantSocket({ socket: tenant.socket, clock, slowReaderMs: 30_000 });
  return { clock, tenant, socket };
}

/** Whether a promise has settled, once all that can settle has. */
async function isSettled(clock: FakeClock, promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = (): void => {
    settled = true;
  };
  promise.then(note, note);
  await clock.advance(0);
  return settled;
}
const ended = (code: number, text: string): unknown => expect.objectContaining({ code, message: expect.stringContaining(text) });

describe('what is sent to a tenant', () => {
  it('does not wait while little is on its way', async () => {
    const { tenant, socket } = connected();
    tenant.isReading = false;
    for (let at = 0; at < 4; at += 1) await socket.send('x'.repeat(64 * KiB));
    expect(tenant.sent).toHaveLength(4);
  });

  it('waits while much is on its way, and holds what comes behind it', async () => {
    const { clock, tenant, socket } = connected();
    tenant.isReading = false;
    tenant.bufferedAmount = 256 * KiB;
    const [first, second] = [socket.send('first'), socket.send('second')];
    expect(await isSettled(clock, first)).toBe(false);
    expect(tenant.sent).toEqual(['first']);
    tenant.bufferedAmount = 0;
    tenant.read();
    await Promise.all([first, second]);
    expect(tenant.sent).toEqual(['first', 'second']);
  });

  it('goes out in its order, whoever sends', async () => {
    const { tenant, socket } = connected();
    const texts = Array.from({ length: 50 }, (_, at) => String(at));
    await Promise.all(texts.map((text) => socket.send(text)));
    expect(tenant.sent).toEqual(texts);
  });

  it('is not waited for longer than a slow reader may take, counted for each by itself', async () => {
    const { clock, tenant, socket } = connected();
    tenant.isReading = false;
    tenant.bufferedAmount = 256 * KiB;
    const sends = ['a', 'b', 'c'].map((text) => socket.send(text).catch((thrown: unknown) => thrown));
    for (let taken = 0; taken < 2; taken += 1) {
      await clock.advance(29_999);
      tenant.read(1);
    }
    expect([tenant.sent, tenant.isTerminated]).toEqual([['a', 'b'], false]);
    await clock.advance(30_000);
    expect([tenant.isTerminated, tenant.closed?.code]).toEqual([true, closeCodes.limit]);
    expect(await Promise.all(sends)).toEqual([undefined, undefined, ended(closeCodes.limit, 'nothing was read')]);
    expect(socket.signal.reason).toEqual(ended(closeCodes.limit, 'nothing was read'));
  });

  it('is refused once the stream is over, also where it waits', async () => {
    const { clock, tenant, socket } = connected();
    tenant.isReading = false;
    tenant.bufferedAmount = 256 * KiB;
    const waiting = Promise.allSettled([socket.send('a'), socket.send('b')]);
    await clock.advance(0);
    tenant.emit('close');
    const gone = ended(closeCodes.done, 'the tenant closed the stream');
    expect(await waiting).toEqual([
      { status: 'rejected', reason: gone },
      { status: 'rejected', reason: gone },
    ]);
    await expect(socket.send('c')).rejects.toEqual(gone);
    expect(tenant.sent).toEqual(['a']);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('the end of a stream', () => {
  it('is said once, with what came first', () => {
    const { tenant, socket } = connected();
    socket.close(new StreamEnd(closeCodes.rightEnded, 'the lease is closed'));
    socket.close(new StreamEnd(closeCodes.internal, 'late'));
    expect(tenant.closed).toEqual({ code: 4003, reason: 'the lease is closed' });
    expect(socket.signal.reason).toEqual(ended(4003, 'the lease is closed'));
  });

  it('is not waited for without end', async () => {
    const { clock, tenant, socket } = connected();
    socket.close(new StreamEnd(closeCodes.unavailable, ''));
    await clock.advance(4_999);
    expect(tenant.isTerminated).toBe(false);
    await clock.advance(1);
    expect([tenant.isTerminated, clock.pendingTimers]).toEqual([true, 0]);
  });

  it('gives who reads slowly the last of what came to its end', async () => {
    const { clock, tenant, socket } = connected();
    socket.close(new StreamEnd(closeCodes.done, ''));
    await clock.advance(29_999);
    expect(tenant.isTerminated).toBe(false);
    await clock.advance(1);
    expect([tenant.isTerminated, clock.pendingTimers]).toEqual([true, 0]);
  });

  it('leaves nothing behind where the tenant ends it, or is gone', () => {
    for (const event of ['close', 'error']) {
      const { clock, tenant, socket } = connected();
      tenant.emit(event, new Error('ECONNRESET'));
      expect(socket.signal.aborted).toBe(true);
      tenant.emit('close');
      socket.close(new StreamEnd(closeCodes.done, ''));
      expect([tenant.closed, clock.pendingTimers]).toEqual([undefined, 0]);
    }
  });

  it('is told in as many bytes as fit, and no half of a letter', () => {
    for (const [reason, most] of [
      ['x'.repeat(500), 120],
      ['ä€😀'.repeat(50), 120],
      ['short', 5],
    ] as const) {
      const { tenant, socket } = connected();
      socket.close(new StreamEnd(closeCodes.limit, reason));
      const told = tenant.closed?.reason ?? '';
      expect(Buffer.byteLength(told)).toBeLessThanOrEqual(most);
      expect(reason.startsWith(told.replace(/…$/, ''))).toBe(true);
      expect(told.length).toBeGreaterThan(4);
    }
  });
});

describe('what a tenant says', () => {
  it('is dealt with one at a time, and nothing more is read meanwhile', async () => {
    const { clock, tenant, socket } = connected();
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const taken: string[] = [];
    socket.receive(async (bytes, isBinary) => {
      taken.push(`${bytes.toString()} ${isBinary}`);
      await gates[taken.length - 1]?.promise;
    });
    tenant.says('a');
    tenant.says(Buffer.from('b'));
    await clock.advance(0);
    expect([taken, tenant.isPaused]).toEqual([['a false'], true]);
    gates[0]?.resolve();
    await clock.advance(0);
    expect([taken, tenant.isPaused]).toEqual([['a false', 'b true'], true]);
    gates[1]?.resolve();
    await clock.advance(0);
    expect(tenant.isPaused).toBe(false);
  });

  it('before anybody takes it is kept, and not without end', async () => {
    const { clock, tenant, socket } = connected();
    for (let at = 0; at < 15; at += 1) tenant.says(String(at));
    expect(tenant.isPaused).toBe(false);
    tenant.says('15');
    expect(tenant.isPaused).toBe(true);
    const taken: string[] = [];
    socket.receive(async (bytes) => void taken.push(bytes.toString()));
    await clock.advance(0);
    expect(taken).toEqual(Array.from({ length: 16 }, (_, at) => String(at)));
    expect(tenant.isPaused).toBe(false);
  });

  it('ends the stream where it breaks the protocol, and nothing after it counts', async () => {
    const { clock, tenant, socket } = connected();
    const taken: string[] = [];
    socket.receive((bytes) => {
      taken.push(bytes.toString());
      return Promise.reject(new StreamEnd(closeCodes.malformed, 'no'));
    });
    tenant.says('a');
    tenant.says('b');
    await clock.advance(0);
    tenant.says('c');
    await clock.advance(0);
    expect([taken, tenant.closed]).toEqual([['a'], { code: 1008, reason: 'no' }]);
    expect(tenant.isPaused).toBe(false);
  });

  it('after the end is not kept', () => {
    const { tenant, socket } = connected();
    socket.close(new StreamEnd(closeCodes.done, ''));
    for (let at = 0; at < 100; at += 1) tenant.says('late');
    expect(tenant.isPaused).toBe(false);
  });

  it('is read on once it is over, also where the last is still being dealt with: the farewell is behind it', () => {
    const { tenant, socket } = connected();
    socket.receive(() => new Promise(() => {}));
    tenant.says('a');
    expect(tenant.isPaused).toBe(true);
    socket.close(new StreamEnd(closeCodes.done, ''));
    expect(tenant.isPaused).toBe(false);
  });

  it('that meets a bug is told nothing of it', async () => {
    const { clock, tenant, socket } = connected();
    socket.receive(() => Promise.reject(new Error('secret')));
    tenant.says('a');
    await clock.advance(0);
    expect(tenant.closed).toEqual({ code: 4000, reason: 'internal error' });
  });
});

describe('a tenant that is silent', () => {
  it('is asked every ten seconds after it answered', async () => {
    const { clock, tenant, socket } = connected();
    for (let round = 1; round <= 3; round += 1) {
      await clock.advance(10_000);
      expect(tenant.pings).toBe(round);
      await clock.advance(14_999);
      tenant.emit('pong');
    }
    expect([socket.signal.aborted, clock.pendingTimers]).toEqual([false, 1]);
  });

  it('is cut when it does not answer within fifteen', async () => {
    const { clock, tenant, socket } = connected();
    await clock.advance(24_999);
    expect(tenant.isTerminated).toBe(false);
    await clock.advance(1);
    expect(tenant.isTerminated).toBe(true);
    expect(socket.signal.reason).toEqual(ended(closeCodes.limit, 'no answer to a ping'));
    expect(clock.pendingTimers).toBe(0);
  });

  it('is not held to an answer that nobody reads here, or that waits behind what it has not read', async () => {
    const { clock, tenant, socket } = connected();
    const gate = Promise.withResolvers<void>();
    socket.receive(() => gate.promise);
    tenant.says('input for a command that does not read');
    await clock.advance(100_000);
    expect(socket.signal.aborted).toBe(false);
    gate.resolve();
    tenant.bufferedAmount = 10;
    await clock.advance(100_000);
    expect(socket.signal.aborted).toBe(false);
    tenant.bufferedAmount = 0;
    await clock.advance(15_000);
    expect(tenant.isTerminated).toBe(true);
  });

  it('is answered itself, as long as it reads that', () => {
    const { tenant } = connected();
    tenant.emit('ping', Buffer.from('a'));
    tenant.bufferedAmount = 256 * KiB;
    tenant.emit('ping', Buffer.from('b'));
    expect(tenant.pongs).toEqual(['a']);
  });
});
