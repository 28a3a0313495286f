import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { forwardedStream } from './forwarded-stream.ts';

const port = () => ({ input: new PassThrough(), output: new PassThrough() });

describe('a forwarded port', () => {
  it('carries both directions, each to its end', async () => {
    const { input, output } = port();
    const stream = forwardedStream({ input, output });
    stream.end('question');
    expect(await text(input)).toBe('question');
    const answer = 'answer '.repeat(100_000);
    output.end(answer);
    expect(await text(stream)).toBe(answer);
  });

  it('is ended for the other side when it is destroyed in the middle, without an error', async () => {
    const { input, output } = port();
    const stream = forwardedStream({ input, output });
    const errors: unknown[] = [];
    stream.on('error', (error) => errors.push(error));
    stream.write('question');
    const told = text(input);
    stream.destroy();
    await once(stream, 'close');
    expect(await told).toBe('question');
    expect([errors, output.destroyed]).toEqual([[], true]);
  });

  it('fails with what breaks the connection', async () => {
    const { input, output } = port();
    const stream = forwardedStream({ input, output });
    const failed = once(stream, 'error');
    output.destroy(new Error('the connection broke'));
    expect(await failed).toEqual([new Error('the connection broke')]);
  });
});
