import { describe, expect, it } from 'vitest';
import { LatestPublisher } from './latest-publisher.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** A way to send that the test lets end. */
const setUp = () => {
  const sent: string[] = [];
  const open: { readonly resolve: (result: number) => void; readonly reject: (error: Error) => void }[] = [];
  const publisher = new LatestPublisher<Uint8Array, number>((name, value) => {
    sent.push(`${name} ${Buffer.from(value).toString()}`);
    return new Promise((resolve, reject) => open.push({ resolve, reject }));
  });
  const settle = async (end: (each: (typeof open)[number]) => void): Promise<void> => {
    const first = open.shift();
    if (first !== undefined) end(first);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { publisher, sent, settle };
};

describe('LatestPublisher', () => {
  it('sends the newest of what waited, and gives everybody its result', async () => {
    const { publisher, sent, settle } = setUp();
    const results = ['1', '2', '3', '4'].map((value) => publisher.publish('a', bytes(value)));
    await settle(({ resolve }) => resolve(10));
    await settle(({ resolve }) => resolve(20));
    expect(await Promise.all(results)).toEqual([10, 20, 20, 20]);
    expect(sent).toEqual(['a 1', 'a 4']);
  });

  it('goes on after a failure', async () => {
    const { publisher, sent, settle } = setUp();
    const first = publisher.publish('a', bytes('1')).catch((error: unknown) => error);
    const second = publisher.publish('a', bytes('2'));
    await settle(({ reject }) => reject(new Error('lost')));
    await settle(({ resolve }) => resolve(2));
    expect(await first).toMatchObject({ message: 'lost' });
    expect(await second).toBe(2);
    expect(sent).toEqual(['a 1', 'a 2']);
  });

  it('never has two of one name under way, and does not let names wait for each other', async () => {
    const { publisher, sent, settle } = setUp();
    const all = [publisher.publish('a', bytes('1')), publisher.publish('b', bytes('1')), publisher.publish('a', bytes('2'))];
    expect(sent).toEqual(['a 1', 'b 1']);
    await settle(({ resolve }) => resolve(1));
    expect(sent).toEqual(['a 1', 'b 1', 'a 2']);
    await settle(({ resolve }) => resolve(2));
    await settle(({ resolve }) => resolve(3));
    expect(await Promise.all(all)).toEqual([1, 2, 3]);
  });
});
