import { compareGenerations, type Generation, jsonCodec, maxPayloadBytes, type StateMessage, stateTopic } from '@quartermaster/bus';
import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { afterNews, eventually, gate, type Note, note, notes, type StartBusServer, useBus } from './bus-fixture.ts';

/** What every bus does with state topics. */
export function describeStates(startServer: StartBusServer): void {
  const { start, connect } = useBus(startServer);

  describe('state topics', () => {
    it('have no value before the first is published', async () => {
      const bus = await start();
      expect(await bus.current(notes())).toBeUndefined();
    });

    it('give a late subscriber the current value', async () => {
      const bus = await start();
      await bus.publish(notes(), note('old'));
      await bus.publish(notes(), note('new'));
      const seen: string[] = [];
      await bus.subscribe(notes(), ({ value }) => void seen.push(value.text));
      await eventually(() => expect(seen).toEqual(['new']));
    });

    it('tell a subscriber that came first about the first value', async () => {
      const bus = await start();
      const seen: StateMessage<Note>[] = [];
      await bus.subscribe(notes(), (message) => void seen.push(message));
      const generation = await bus.publish(notes(), note('first'));
      await eventually(() => expect(seen).toHaveLength(1));
      expect(seen[0]).toMatchObject({ key: '', value: note('first'), generation });
    });

    it('answer with the latest value, its generation and its time', async () => {
      const bus = await start();
      const before = Date.now();
      await bus.publish(notes(), note(1));
      const generation = await bus.publish(notes(), note(2));
      const current = await bus.current(notes());
      expect(current).toMatchObject({ key: '', value: note(2), generation });
      expect(current?.publishedAt.getTime()).toBeGreaterThanOrEqual(before - 5);
      expect(current?.publishedAt.getTime()).toBeLessThanOrEqual(Date.now() + 5);
    });

    it('give each value a later generation, over all keys and clients', async () => {
      const bus = await start();
      const other = await connect();
      const generations: Generation[] = [];
      for (const [client, key] of [
        [bus, 'x'],
        [other, 'x'],
        [bus, 'y'],
        [other, ''],
      ] as const) {
        generations.push(await client.publish(notes(), note(key), { key }));
      }
      expect(generations.toSorted(compareGenerations)).toEqual(generations);
      expect(new Set(generations.map(({ sequence }) => sequence)).size).toBe(4);
    });

    it('let a slow subscriber skip to the newest', async () => {
      const bus = await start();
      const slow = gate();
      const seen: string[] = [];
      await bus.subscribe(notes(), async ({ value }) => {
        seen.push(value.text);
        await slow.opened;
      });
      await bus.publish(notes(), note(0));
      await eventually(() => expect(seen).toEqual(['0']));
      for (let i = 1; i <= 100; i += 1) await bus.publish(notes(), note(i));
      // How many it is: a server that keeps only the newest may itself leave some out, before they are delivered.
      await eventually(() => expect(bus.status().counters.statesSkipped).toBeGreaterThan(0));
      slow.open();
      await eventually(() => expect(seen.at(-1)).toBe('100'));
      expect(seen.map(Number)).toEqual([...new Set(seen.map(Number))].toSorted((x, y) => x - y));
      expect(seen.length + bus.status().counters.statesSkipped).toBeLessThanOrEqual(101);
    });

    it('never run a handler twice at a time for one key', async () => {
      const bus = await start();
      let running = 0;
      let most = 0;
      let last = '';
      await bus.subscribe(notes(), async ({ value }) => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        last = value.text;
        running -= 1;
      });
      await Promise.all(Array.from({ length: 50 }, (_, i) => bus.publish(notes(), note(i))));
      await eventually(() => expect(last).toBe('49'));
      expect(most).toBe(1);
    });

    it('do not let a handler that is busy with one key hold up another', async () => {
      const bus = await start();
      const stuck = gate();
      const seen: string[] = [];
      await bus.subscribe(notes(), async ({ key }) => {
        if (key === 'stuck') await stuck.opened;
        else seen.push(key);
      });
      await bus.publish(notes(), note(1), { key: 'stuck' });
      await bus.publish(notes(), note(1), { key: 'free' });
      await eventually(() => expect(seen).toEqual(['free']));
      stuck.open();
    });

    it('tell the subscriber of a key about that key alone', async () => {
      const bus = await start();
      await bus.publish(notes(), note('before'), { key: 'other' });
      const seen: string[] = [];
      await bus.subscribe(notes(), ({ key }) => void seen.push(key), { key: 'mine' });
      await bus.publish(notes(), note(1), { key: 'other' });
      await bus.publish(notes(), note(1), { key: '' });
      await bus.publish(notes(), note(2), { key: 'mine' });
      await eventually(() => expect(seen).toEqual(['mine']));
    });

    it('tell the subscriber of all keys the current value of each', async () => {
      const bus = await start();
      for (const key of ['', 'x', 'y']) for (const text of ['old', 'new']) await bus.publish(notes(), note(`${key}${text}`), { key });
      const seen = new Map<string, string>();
      await bus.subscribe(notes(), ({ key, value }) => void seen.set(key, value.text));
      await eventually(() => expect(Object.fromEntries(seen)).toEqual({ '': 'new', x: 'xnew', y: 'ynew' }));
    });

    it('keep a value when its publisher is gone', async () => {
      const publisher = await start();
      const reader = await connect();
      await publisher.publish(notes(), note('kept'));
      await publisher.close();
      expect((await reader.current(notes()))?.value).toEqual(note('kept'));
    });

    it('reach the subscribers of every client', async () => {
      const bus = await start();
      const other = await connect();
      const seen: string[] = [];
      await bus.subscribe(notes(), ({ value }) => void seen.push(`here ${value.text}`));
      await other.subscribe(notes(), ({ value }) => void seen.push(`there ${value.text}`));
      await bus.publish(notes(), note(1));
      await eventually(() => expect(seen.toSorted()).toEqual(['here 1', 'there 1']));
    });

    it('bring a value back to a handler that threw', async () => {
      const bus = await start();
      const seen: string[] = [];
      await bus.subscribe(notes(), ({ value }) => {
        seen.push(value.text);
        if (seen.length < 3) throw new Error('not yet');
      });
      await bus.publish(notes(), note('again'));
      await eventually(() => expect(seen).toEqual(['again', 'again', 'again']));
      expect(bus.status().counters.statesHandled).toBe(1);
    });

    it('give a handler that threw the newer value instead', async () => {
      const bus = await start();
      const slow = gate();
      const seen: string[] = [];
      await bus.subscribe(notes(), async ({ value }) => {
        seen.push(value.text);
        if (value.text !== 'old') return;
        await slow.opened;
        throw new Error('no use');
      });
      await bus.publish(notes(), note('old'));
      await eventually(() => expect(seen).toEqual(['old']));
      await bus.publish(notes(), note('new'));
      await afterNews(bus);
      slow.open();
      await eventually(() => expect(seen).toEqual(['old', 'new']));
    });

    it('do not bring back a value that the handler calls invalid', async () => {
      const bus = await start();
      const seen: string[] = [];
      await bus.subscribe(notes(), ({ value }) => {
        seen.push(value.text);
        if (value.text === 'bad') throw new StatusError('invalid_argument', 'text: must not be bad');
      });
      await bus.publish(notes(), note('bad'));
      await eventually(() => expect(seen).toEqual(['bad']));
      await bus.publish(notes(), note('good'));
      await eventually(() => expect(seen).toEqual(['bad', 'good']));
    });

    it('pass over a value that is not of the topic, and go on', async () => {
      const bus = await start();
      const strict = stateTopic<Note>(
        'notes',
        jsonCodec((value) => {
          if (typeof value !== 'object') throw new TypeError('not a note');
          return value as Note;
        }),
      );
      const seen: string[] = [];
      await bus.subscribe(strict, ({ value }) => void seen.push(value.text));
      await bus.publish(stateTopic<number>('notes'), 7);
      await afterNews(bus);
      await bus.publish(strict, note('good'));
      await eventually(() => expect(seen).toEqual(['good']));
    });

    it('carry any text in keys and values', async () => {
      const bus = await start();
      const texts = ['Zürich', '東京 * > .', 'a.b.c', '=', '%2e', '🚚\n\t"quoted"', ' '];
      for (const text of texts) await bus.publish(notes(), note(text), { key: text });
      const seen = new Map<string, string>();
      await bus.subscribe(notes(), ({ key, value }) => void seen.set(key, value.text));
      await eventually(() => expect([...seen.keys()].toSorted()).toEqual(texts.toSorted()));
      expect([...seen].every(([key, text]) => key === text)).toBe(true);
      for (const text of texts) expect((await bus.current(notes(), { key: text }))?.value.text).toBe(text);
    });

    it('carry values of up to a megabyte and refuse larger ones', async () => {
      const bus = await start();
      const largest = 'x'.repeat(maxPayloadBytes - '{"text":""}'.length);
      await bus.publish(notes(), note(largest));
      expect((await bus.current(notes()))?.value.text).toBe(largest);
      await expect(bus.publish(notes(), note(`${largest}x`))).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(/topic notes: the value has 1000001 bytes, the limit is 1000000/),
      });
    });

    it('refuse a value that cannot be encoded', async () => {
      const bus = await start();
      await expect(bus.publish(stateTopic<unknown>('notes'), { size: 1n })).rejects.toMatchObject({ code: 'invalid_argument' });
      await expect(bus.publish(stateTopic<unknown>('notes'), undefined)).rejects.toMatchObject({ code: 'invalid_argument' });
    });

    it('end with the last of many values published at once', async () => {
      const bus = await start();
      const generations = await Promise.all(Array.from({ length: 200 }, (_, i) => bus.publish(notes(), note(i))));
      const current = await bus.current(notes());
      expect(current?.value).toEqual(note(199));
      expect(generations.every((generation) => current !== undefined && compareGenerations(generation, current.generation) <= 0)).toBe(
        true,
      );
    });

    it('do not mix topics whose names begin alike', async () => {
      const bus = await start();
      const seen: string[] = [];
      await bus.subscribe(notes('inventory'), ({ value }) => void seen.push(value.text));
      await bus.publish(notes('inventory.nodes'), note('nodes'));
      await bus.publish(notes('inventory.nodes'), note('nodes'), { key: 'x' });
      await bus.publish(notes('inventory'), note('mine'), { key: 'nodes' });
      await eventually(() => expect(seen).toEqual(['mine']));
      expect(await bus.current(notes('inventory'))).toBeUndefined();
    });

    it('are told no more once the subscription is closed, and closing waits for the handler', async () => {
      const bus = await start();
      const slow = gate();
      const steps: string[] = [];
      const subscription = await bus.subscribe(notes(), async ({ value }, signal) => {
        steps.push(`begin ${value.text}`);
        await slow.opened;
        steps.push(signal.aborted ? 'end, told to' : 'end');
      });
      await bus.publish(notes(), note(1));
      await eventually(() => expect(steps).toEqual(['begin 1']));
      const closed = subscription.close().then(() => steps.push('closed'));
      await bus.publish(notes(), note(2));
      slow.open();
      await closed;
      await bus.publish(notes(), note(3));
      await afterNews(bus);
      expect(steps).toEqual(['begin 1', 'end, told to', 'closed']);
    });

    it('are told no more once the signal aborts', async () => {
      const bus = await start();
      const stop = new AbortController();
      const seen: string[] = [];
      await bus.subscribe(notes(), ({ value }) => void seen.push(value.text), { signal: stop.signal });
      await bus.publish(notes(), note(1));
      await eventually(() => expect(seen).toEqual(['1']));
      stop.abort();
      await bus.publish(notes(), note(2));
      await afterNews(bus);
      expect(seen).toEqual(['1']);
    });
  });
}
