import { eventTopic, stateTopic } from '@quartermaster/bus';
import { describe, expect, it } from 'vitest';
import { eventually, gate, type Note, note, notes, orders, type StartBusServer, useBus } from './bus-fixture.ts';

/** How every bus begins, ends and refuses. */
export function describeLifecycle(startServer: StartBusServer): void {
  const { start, connect } = useBus(startServer);

  describe('closing', () => {
    it('waits for a running handler and acknowledges its event', async () => {
      const bus = await start();
      const other = await connect();
      const slow = gate();
      const steps: string[] = [];
      const subscription = await bus.subscribe(
        orders(),
        async ({ value }, signal) => {
          steps.push(`begin ${value.text}`);
          await slow.opened;
          steps.push(signal.aborted ? 'end, told to' : 'end');
        },
        { group: 'a' },
      );
      await bus.publish(orders(), note(1), { key: 'k' });
      await eventually(() => expect(steps).toEqual(['begin 1']));
      const closed = subscription.close().then(() => steps.push('closed'));
      await other.publish(orders(), note(2), { key: 'k' });
      slow.open();
      await closed;
      expect(steps).toEqual(['begin 1', 'end, told to', 'closed']);
      const seen: string[] = [];
      await other.subscribe(orders(), ({ value }) => void seen.push(value.text), { group: 'a' });
      await eventually(() => expect(seen).toEqual(['2']));
    });

    it('hands the event of a handler that gives up to the next subscriber', async () => {
      const bus = await start({ retry: { maxAttempts: 1, backoff: { firstMs: 1, maxMs: 1, factor: 1 } } });
      const begun = gate();
      const subscription = await bus.subscribe(
        orders(),
        async (_message, signal) => {
          begun.open();
          await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
        { group: 'a' },
      );
      await bus.publish(orders(), note(1));
      await begun.opened;
      await subscription.close();
      const seen: string[] = [];
      await bus.subscribe(orders(), ({ value }) => void seen.push(value.text), { group: 'a' });
      await eventually(() => expect(seen).toEqual(['1']));
      expect(await bus.deadLetters(orders(), { group: 'a' })).toEqual([]);
    });

    it('lets handlers that still run publish', async () => {
      const bus = await start();
      const other = await connect();
      const begun = gate();
      const slow = gate();
      await bus.subscribe(
        orders(),
        async () => {
          begun.open();
          await slow.opened;
          await bus.publish(notes(), note('last words'));
        },
        { group: 'a' },
      );
      await bus.publish(orders(), note(1));
      await begun.opened;
      const closed = bus.close();
      slow.open();
      await closed;
      expect((await other.current(notes()))?.value).toEqual(note('last words'));
    });

    it('stops waiting for a handler when its signal aborts, and others get the event', async () => {
      const bus = await start();
      const other = await connect();
      const begun = gate();
      const never = gate();
      await bus.subscribe(
        orders(),
        async () => {
          begun.open();
          await never.opened;
          throw new Error('far too late');
        },
        { group: 'a' },
      );
      await bus.publish(orders(), note(1));
      await begun.opened;
      await bus.close(AbortSignal.abort());
      never.open();
      const seen: string[] = [];
      await other.subscribe(orders(), ({ value }) => void seen.push(value.text), { group: 'a' });
      await eventually(() => expect(seen).toEqual(['1']));
    });

    it('ends publications that wait', async () => {
      const bus = await start({ maxPendingEvents: 1 });
      await bus.publish(orders(), note(1));
      const waiting = bus.publish(orders(), note(2)).catch((error: unknown) => error);
      await bus.close();
      expect(await waiting).toMatchObject({ code: 'failed_precondition' });
    });

    it('leaves other clients alone', async () => {
      const bus = await start();
      const other = await connect();
      const seen: string[] = [];
      await other.subscribe(orders(), ({ value }) => void seen.push(value.text), { group: 'a' });
      await bus.close();
      await other.publish(orders(), note(1));
      await eventually(() => expect(seen).toEqual(['1']));
    });

    it('refuses everything afterwards, and may be repeated', async () => {
      const bus = await start();
      await Promise.all([bus.close(), bus.close()]);
      await bus.close();
      const refused = { code: 'failed_precondition', message: expect.stringContaining('the bus is closed') };
      await expect(bus.publish(notes(), note(1))).rejects.toMatchObject(refused);
      await expect(bus.publish(orders(), note(1))).rejects.toMatchObject(refused);
      await expect(bus.subscribe(notes(), () => undefined)).rejects.toMatchObject(refused);
      await expect(bus.subscribe(orders(), () => undefined, { group: 'a' })).rejects.toMatchObject(refused);
      await expect(bus.current(notes())).rejects.toMatchObject(refused);
      await expect(bus.deadLetters(orders(), { group: 'a' })).rejects.toMatchObject(refused);
      expect(bus.status().state).toBe('closed');
    });
  });

  describe('a subscription', () => {
    it('may be closed twice', async () => {
      const bus = await start();
      const subscription = await bus.subscribe(notes(), () => undefined);
      await Promise.all([subscription.close(), subscription.close()]);
      await subscription.close();
      expect(bus.status().state).toBe('connected');
    });

    it('is not made under a signal that has aborted', async () => {
      const bus = await start();
      const signal = AbortSignal.abort(new Error('too late'));
      await expect(bus.subscribe(notes(), () => undefined, { signal })).rejects.toThrow('too late');
      await expect(bus.subscribe(orders(), () => undefined, { group: 'a', signal })).rejects.toThrow('too late');
      await expect(bus.publish(notes(), note(1), { signal })).rejects.toThrow('too late');
      expect(await bus.current(notes())).toBeUndefined();
    });

    it('goes on after one of its group has left', async () => {
      const bus = await start();
      const seen: string[] = [];
      const leaving = await bus.subscribe(orders(), ({ value }) => void seen.push(value.text), { group: 'a' });
      await bus.subscribe(orders(), ({ value }) => void seen.push(value.text), { group: 'a' });
      await leaving.close();
      for (let i = 0; i < 20; i += 1) await bus.publish(orders(), note(i));
      await eventually(() => expect(new Set(seen).size).toBe(20));
    });
  });

  it('counts what it did', async () => {
    const bus = await start();
    expect(bus.status()).toMatchObject({ state: 'connected', reconnects: 0, counters: { eventsPublished: 0, statesPublished: 0 } });
    await bus.publish(notes(), note(1));
    await bus.publish(orders(), note(1));
    await bus.publish(orders(), note(2));
    await bus.subscribe(orders(), () => undefined, { group: 'a' });
    await eventually(() => expect(bus.status().counters).toMatchObject({ statesPublished: 1, eventsPublished: 2, eventsHandled: 2 }));
  });

  it.each([
    ['a key that is too long', { key: 'x'.repeat(256) }, /key has 256 bytes, the limit is 255/],
    ['half a character in a key', { key: '\ud83d' }, /key is not well-formed/],
    ['an empty id', { id: '' }, /id must be 1 to 128 visible ASCII characters/],
    ['an id with spaces', { id: 'a b' }, /id must be/],
  ])('refuses %s', async (_what, options, message) => {
    const bus = await start();
    await expect(bus.publish(orders(), note(1), options)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(message),
    });
  });

  it.each(['', 'with space', 'a..b', '.a', 'a_b', 'a.*', '>', '1st', 'x'.repeat(101)])('refuses the topic name %j', (name) => {
    expect(() => stateTopic<Note>(name)).toThrow(/topic name/);
    expect(() => eventTopic<Note>(name, { groups: ['a'] })).toThrow(/topic name/);
  });

  it.each([[[]], [['Upper']], [['a', 'a']], [['a.b']], [['x'.repeat(61)]]])('refuses the groups %j', (groups) => {
    expect(() => eventTopic<Note>('orders', { groups })).toThrow(/topic orders: group/);
  });
}
