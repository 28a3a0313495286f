import { eventTopic, FakeClock, type Log, type StatusError, seededRandom, silentLog, stateTopic } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { createMemoryBus } from './memory-bus.ts';

const orders = eventTopic<string>('orders', { groups: ['a'] });
const steady = { ...seededRandom(1), next: () => 1 };

describe('the memory bus by the clock', () => {
  it('waits longer before each redelivery, then gives up and reports', async () => {
    const clock = new FakeClock();
    const errors: unknown[] = [];
    const log: Log = { ...silentLog, error: (message, fields) => void errors.push({ message, ...fields }) };
    const retry = { maxAttempts: 4, backoff: { firstMs: 1_000, maxMs: 60_000, factor: 2 } };
    const bus = createMemoryBus({ clock, log, retry, random: steady });
    const times: number[] = [];
    const handler = (): void => {
      times.push(clock.monotonic());
      throw new Error('down');
    };
    await bus.subscribe(orders, handler, { group: 'a' });
    await bus.publish(orders, 'x', { id: 'one', key: 'k' });
    await clock.advance(60_000);
    expect(times).toEqual([0, 1_000, 3_000, 7_000]);
    expect(errors).toMatchObject([{ topic: 'orders', group: 'a', id: 'one', key: 'k', attempt: 4, error: 'down' }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('forgets an id after two minutes', async () => {
    const clock = new FakeClock();
    const bus = createMemoryBus({ clock });
    const seen: string[] = [];
    await bus.subscribe(orders, ({ value }) => void seen.push(value), { group: 'a' });
    await bus.publish(orders, 'first', { id: 'same' });
    await clock.advance(119_000);
    await bus.publish(orders, 'too soon', { id: 'same' });
    await clock.advance(1_000);
    await bus.publish(orders, 'again', { id: 'same' });
    await clock.advance(0);
    expect(seen).toEqual(['first', 'again']);
  });

  it('gives up on room after the time limit, and leaves no timer', async () => {
    const clock = new FakeClock();
    const bus = createMemoryBus({ clock, maxPendingEvents: 1, timeoutMs: 5_000 });
    await bus.publish(orders, '1');
    const waiting = bus.publish(orders, '2').catch((error: unknown) => error);
    await clock.advance(4_999);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);
    expect(await waiting).toMatchObject({ code: 'unavailable', message: expect.stringContaining('group a has 1 unhandled events') });
    expect(clock.pendingTimers).toBe(0);
  });

  it('counts the time limit of each publication from its beginning, also behind others of its key', async () => {
    const clock = new FakeClock();
    const bus = createMemoryBus({ clock, maxPendingEvents: 1, timeoutMs: 5_000 });
    await bus.publish(orders, '1');
    const codes: string[] = [];
    const waiting = ['2', '3', '4'].map(async (value) => {
      await bus.publish(orders, value, { key: 'k' }).catch((error: StatusError) => codes.push(error.code));
    });
    await clock.advance(5_000);
    await Promise.all(waiting);
    expect(codes).toEqual(['unavailable', 'unavailable', 'unavailable']);
  });

  it('closes a subscription that was being made while the bus closed', async () => {
    const bus = createMemoryBus();
    const subscribing = bus.subscribe(orders, () => undefined, { group: 'a' }).catch((error: unknown) => error);
    await bus.close();
    expect(await subscribing).toMatchObject({ code: 'failed_precondition' });
  });

  it('stamps values with the wall clock and begins its epoch with it', async () => {
    const clock = new FakeClock(Date.UTC(2027, 0, 1));
    const bus = createMemoryBus({ clock });
    const state = stateTopic<string>('inventory.cluster');
    await clock.advance(1_500);
    await bus.publish(state, 'now');
    expect(await bus.current(state)).toMatchObject({
      publishedAt: new Date('2027-01-01T00:00:01.500Z'),
      generation: { epoch: Date.UTC(2027, 0, 1), sequence: 1 },
    });
  });

  it('never shares an object between publisher and subscriber', async () => {
    const bus = createMemoryBus();
    const state = stateTopic<{ list: string[] }>('lists');
    const value = { list: ['a'] };
    await bus.publish(state, value);
    value.list.push('b');
    const first = await bus.current(state);
    first?.value.list.push('c');
    expect((await bus.current(state))?.value).toEqual({ list: ['a'] });
  });
});
