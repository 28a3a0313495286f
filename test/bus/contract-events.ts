import { type EventMessage, eventTopic, jsonCodec, maxPayloadBytes } from '@quartermaster/bus';
import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { afterNews, eventually, type Note, note, orders, type StartBusServer, useBus } from './bus-fixture.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** What every bus does with event topics. */
export function describeEvents(startServer: StartBusServer): void {
  const { start, connect } = useBus(startServer);

  describe('event topics', () => {
    it('deliver an event with its id, key, time and attempt', async () => {
      const bus = await start();
      const seen: EventMessage<Note>[] = [];
      await bus.subscribe(orders(), (message) => void seen.push(message), { group: 'a' });
      const id = await bus.publish(orders(), note('hello'), { key: 'lease-1' });
      await eventually(() => expect(seen).toHaveLength(1));
      expect(seen[0]).toMatchObject({ id, key: 'lease-1', value: note('hello'), attempt: 1 });
      expect(Math.abs((seen[0]?.publishedAt.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    });

    it('keep events for a group that has never subscribed', async () => {
      const bus = await start();
      for (const i of range(20)) await bus.publish(orders(), note(i), { key: 'k' });
      const seen: string[] = [];
      await bus.subscribe(orders(), ({ value }) => void seen.push(value.text), { group: 'a' });
      await eventually(() => expect(seen).toEqual(range(20).map(String)));
    });

    it('deliver every event to every group', async () => {
      const bus = await start();
      const topic = orders('a', 'b');
      const seen = { a: new Set<string>(), b: new Set<string>() };
      await bus.subscribe(topic, ({ value }) => void seen.a.add(value.text), { group: 'a' });
      for (const i of range(30)) await bus.publish(topic, note(i));
      await bus.subscribe(topic, ({ value }) => void seen.b.add(value.text), { group: 'b' });
      await eventually(() => expect([seen.a.size, seen.b.size]).toEqual([30, 30]));
    });

    it('share the events of a group among its members', async () => {
      const bus = await start();
      const other = await connect();
      const here: string[] = [];
      const there: string[] = [];
      await bus.subscribe(orders(), ({ value }) => void here.push(value.text), { group: 'a' });
      await other.subscribe(orders(), ({ value }) => void there.push(value.text), { group: 'a' });
      for (const i of range(200)) await bus.publish(orders(), note(i), { key: `key-${i % 40}` });
      await eventually(() => expect(here.length + there.length).toBe(200));
      expect(new Set([...here, ...there]).size).toBe(200);
      expect(here.length).toBeGreaterThan(0);
      expect(there.length).toBeGreaterThan(0);
    });

    it('keep the order of each key, without waiting between publications', async () => {
      const bus = await start();
      const seen = new Map<string, number[]>(range(5).map((key) => [`key-${key}`, []]));
      await bus.subscribe(orders(), ({ key, value }) => void seen.get(key)?.push(Number(value.text)), { group: 'a' });
      await Promise.all(range(300).map((i) => bus.publish(orders(), note(i), { key: `key-${i % 5}` })));
      await eventually(() => expect([...seen.values()].flat()).toHaveLength(300));
      for (const numbers of seen.values()) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    });

    it('keep the order of a key over failures and over members', async () => {
      const bus = await start();
      const other = await connect();
      const handled: string[] = [];
      let running = 0;
      let most = 0;
      const handler = async ({ value, attempt }: EventMessage<Note>): Promise<void> => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        if (Number(value.text) % 4 === 1 && attempt === 1) throw new Error('the first time always fails');
        handled.push(value.text);
      };
      await bus.subscribe(orders(), handler, { group: 'a' });
      await other.subscribe(orders(), handler, { group: 'a' });
      for (const i of range(20)) await bus.publish(orders(), note(i), { key: 'one' });
      await eventually(() => expect(handled).toEqual(range(20).map(String)));
      expect(most).toBe(1);
    });

    it('deliver again what a handler threw at, under the same id', async () => {
      const bus = await start();
      const seen: string[] = [];
      await bus.subscribe(
        orders(),
        ({ id, attempt }) => {
          seen.push(`${id} ${attempt}`);
          if (attempt < 3) throw new Error('not yet');
        },
        { group: 'a' },
      );
      await bus.publish(orders(), note(1), { id: 'order-1' });
      await eventually(() => expect(seen).toEqual(['order-1 1', 'order-1 2', 'order-1 3']));
      await eventually(() => expect(bus.status().counters).toMatchObject({ eventsRetried: 2, eventsHandled: 1, eventsDeadLettered: 0 }));
    });

    it('make a dead letter of an event that fails every time, report it and go on with those behind it', async () => {
      const bus = await start();
      const seen: string[] = [];
      await bus.subscribe(
        orders(),
        ({ value }) => {
          seen.push(value.text);
          if (value.text === 'poison') throw new Error('cannot stomach “this”\nat all');
        },
        { group: 'a' },
      );
      await bus.publish(orders(), note('poison'), { key: 'k', id: 'bad-1' });
      await bus.publish(orders(), note('good'), { key: 'k' });
      await eventually(() => expect(seen).toEqual(['poison', 'poison', 'poison', 'good']));
      const [letter, ...more] = await bus.deadLetters(orders(), { group: 'a' });
      expect(more).toEqual([]);
      expect(letter).toMatchObject({ id: 'bad-1', key: 'k', attempts: 3, reason: 'cannot stomach “this”\nat all' });
      expect(letter && orders().codec.decode(letter.bytes)).toEqual(note('poison'));
      expect(bus.status().counters.eventsDeadLettered).toBe(1);
    });

    it('make a dead letter for the group that failed alone', async () => {
      const bus = await start();
      const topic = orders('a', 'b');
      const seen: string[] = [];
      await bus.subscribe(topic, () => Promise.reject(new StatusError('invalid_argument', 'no')), { group: 'a' });
      await bus.subscribe(topic, ({ value }) => void seen.push(value.text), { group: 'b' });
      await bus.publish(topic, note(1));
      await eventually(async () => expect(await bus.deadLetters(topic, { group: 'a' })).toHaveLength(1));
      await eventually(() => expect(seen).toEqual(['1']));
      expect(await bus.deadLetters(topic, { group: 'b' })).toEqual([]);
    });

    it('make a dead letter at once of what the handler calls invalid', async () => {
      const bus = await start();
      let calls = 0;
      await bus.subscribe(
        orders(),
        () => {
          calls += 1;
          throw new StatusError('invalid_argument', 'text: must be a number');
        },
        { group: 'a' },
      );
      await bus.publish(orders(), note(1));
      await eventually(async () => expect(await bus.deadLetters(orders(), { group: 'a' })).toMatchObject([{ attempts: 1 }]));
      expect(calls).toBe(1);
    });

    it('make a dead letter of what is not of the topic', async () => {
      const bus = await start();
      const codec = jsonCodec((value) => {
        if (typeof value !== 'number') throw new TypeError('not a number');
        return value;
      });
      const numbers = eventTopic<number>('orders', { groups: ['a'], codec });
      const seen: number[] = [];
      await bus.subscribe(numbers, ({ value }) => void seen.push(value), { group: 'a' });
      await bus.publish(orders(), note('text'), { key: 'k' });
      await bus.publish(numbers, 7, { key: 'k' });
      await eventually(() => expect(seen).toEqual([7]));
      expect(await bus.deadLetters(numbers, { group: 'a' })).toMatchObject([{ reason: expect.stringContaining('not a number') }]);
    });

    it('lose nothing when no more dead letters fit', async () => {
      const bus = await start({ maxDeadLetters: 1 });
      let isWell = false;
      const seen: string[] = [];
      await bus.subscribe(
        orders(),
        ({ value }) => {
          if (!isWell) throw new Error('unwell');
          seen.push(value.text);
        },
        { group: 'a' },
      );
      await bus.publish(orders(), note(1), { key: 'k' });
      await bus.publish(orders(), note(2), { key: 'k' });
      await eventually(() => expect(bus.status().counters.eventsDeadLettered).toBeGreaterThan(2));
      isWell = true;
      await eventually(() => expect(seen).toEqual(['2']));
      expect(await bus.deadLetters(orders(), { group: 'a' })).toHaveLength(1);
    });

    it('do not let an event that is tried again hold up all others', async () => {
      const bus = await start({ retry: { maxAttempts: 100, backoff: { firstMs: 3_600_000, maxMs: 3_600_000, factor: 1 } } });
      const seen = new Set<string>();
      await bus.subscribe(
        orders(),
        ({ key, value }) => {
          if (key === 'stuck') throw new Error('for an hour');
          seen.add(value.text);
        },
        { group: 'a' },
      );
      await bus.publish(orders(), note('stuck'), { key: 'stuck' });
      for (const i of range(64)) await bus.publish(orders(), note(i), { key: `key-${i}` });
      await eventually(() => expect(seen.size).toBeGreaterThan(32));
    });

    it('take an id once', async () => {
      const bus = await start();
      const seen: string[] = [];
      expect(await bus.publish(orders(), note('first'), { id: 'same' })).toBe('same');
      expect(await bus.publish(orders(), note('second'), { id: 'same' })).toBe('same');
      await bus.publish(orders(), note('third'), { id: 'other' });
      await bus.subscribe(orders(), ({ value }) => void seen.push(value.text), { group: 'a' });
      await eventually(() => expect(seen.toSorted()).toEqual(['first', 'third']));
    });

    it('make publishers wait for room, and lose nothing', async () => {
      const bus = await start({ maxPendingEvents: 5 });
      const topic = orders('a', 'b');
      const seen: string[] = [];
      await bus.subscribe(topic, () => undefined, { group: 'b' });
      let published = 0;
      const all = Promise.all(range(40).map((i) => bus.publish(topic, note(i), { key: `${i % 3}` }).then(() => (published += 1))));
      await eventually(() => expect(published).toBe(5));
      await afterNews(bus);
      expect(published).toBe(5);
      await bus.subscribe(topic, ({ value }) => void seen.push(value.text), { group: 'a' });
      await all;
      await eventually(() => expect(seen.map(Number).toSorted((a, b) => a - b)).toEqual(range(40)));
    });

    it('fail a publication that waited too long for room, naming the group that is behind', async () => {
      const bus = await start({ maxPendingEvents: 1, timeoutMs: 3_000 });
      await bus.publish(orders(), note(1));
      await expect(bus.publish(orders(), note(2))).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/could not publish .* to orders within 3000 ms; try again: .*\ba\b/),
      });
    });

    it('end the wait for room with the signal', async () => {
      const bus = await start({ maxPendingEvents: 1 });
      await bus.publish(orders(), note(1));
      const stop = new AbortController();
      const waiting = bus.publish(orders(), note(2), { signal: stop.signal });
      stop.abort(new Error('changed my mind'));
      await expect(waiting).rejects.toThrow('changed my mind');
      const seen: string[] = [];
      await bus.subscribe(orders(), ({ value }) => void seen.push(value.text), { group: 'a' });
      await bus.publish(orders(), note(3));
      await eventually(() => expect(seen.toSorted()).toEqual(['1', '3']));
    });

    it('carry any text in keys and values, and up to a megabyte', async () => {
      const bus = await start();
      const seen = new Map<string, string>();
      await bus.subscribe(orders(), ({ key, value }) => void seen.set(key, value.text), { group: 'a' });
      const large = 'ü'.repeat((maxPayloadBytes - '{"text":""}'.length - 1) / 2);
      const texts = new Map([
        ['Zürich', '東京'],
        ['a.*.>', '🚚'],
        ['', 'no key'],
        ['large', large],
      ]);
      for (const [key, text] of texts) await bus.publish(orders(), note(text), { key });
      await eventually(() => expect(seen.size).toBe(4));
      expect(seen).toEqual(texts);
      await expect(bus.publish(orders(), note(`${large}xx`))).rejects.toMatchObject({ code: 'invalid_argument' });
    });

    it('refuse a group that the topic does not declare', async () => {
      const bus = await start();
      const refused = { code: 'invalid_argument', message: expect.stringContaining('topic orders has no group "stranger"') };
      await expect(bus.subscribe(orders(), () => undefined, { group: 'stranger' })).rejects.toMatchObject(refused);
      await expect(bus.deadLetters(orders(), { group: 'stranger' })).rejects.toMatchObject(refused);
    });

    it('lose nothing of what many publish at once', async () => {
      const bus = await start();
      const other = await connect();
      const seen = new Set<string>();
      await other.subscribe(orders(), ({ id }) => void seen.add(id), { group: 'a' });
      const ids = await Promise.all(range(1_000).map((i) => (i % 2 === 0 ? bus : other).publish(orders(), note(i))));
      await eventually(() => expect(seen.size).toBe(1_000));
      expect(ids.every((id) => seen.has(id))).toBe(true);
    });
  });
}
