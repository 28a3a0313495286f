import { once } from 'node:events';
import type { Message } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { streamForm } from './rest-answer.ts';
import { streamAnswer } from './stream-answer.ts';

const toJson = (message: Message): string => String((message as Timestamp).seconds);

/** Numbers without an end, and whether the one who makes them was told to stop. */
function numbers(): { readonly messages: AsyncGenerator<Message, void, undefined>; readonly ended: Promise<string> } {
  let end = (_why: string): void => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  async function* endless(): AsyncGenerator<Message, void, undefined> {
    try {
      for (let seconds = 1n; ; seconds += 1n) yield create(TimestampSchema, { seconds });
    } finally {
      end('ended');
    }
  }
  return { messages: endless(), ended };
}

const answer = (messages: AsyncGenerator<Message, void, undefined>) =>
  streamAnswer({ messages, form: streamForm(undefined), clock: new FakeClock(0), toJson });

describe('streamAnswer', () => {
  it('ends the stream whose caller left before reading anything', async () => {
    const { messages, ended } = numbers();
    const text = await answer(messages);
    text.destroy();
    await expect(ended).resolves.toBe('ended');
  });

  it('ends the stream whose caller left after some messages', async () => {
    const { messages, ended } = numbers();
    const text = await answer(messages);
    await once(text, 'readable');
    text.destroy();
    await expect(ended).resolves.toBe('ended');
  });

  it('throws what the stream fails with at once, and writes down what it fails with later', async () => {
    async function* failing(after: number): AsyncGenerator<Message, void, undefined> {
      for (let i = 0; i < after; i += 1) yield create(TimestampSchema, { seconds: BigInt(i) });
      throw new StatusError('not_found', 'there is nothing');
    }
    await expect(answer(failing(0))).rejects.toMatchObject({ code: 'not_found' });
    const lines = (await (await answer(failing(1))).toArray()).join('').split('\n');
    expect(lines).toEqual(['"0"', '{"error":{"code":"not_found","message":"there is nothing"}}', '']);
  });
});
