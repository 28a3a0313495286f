import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { FakeClock } from '@quartermaster/kernel';
import { anonymous, type CallContext } from '@quartermaster/rpc';
import { expect, it } from 'vitest';
import { bookOf } from '../../../test/sample-book.ts';
import { node } from '../../../test/sample-facts.ts';
import { providerRpc } from './provider-rpc.ts';

it('makes the status of the provider once for all who ask, and follow, within five seconds', async () => {
  const clock = new FakeClock();
  let made = 0;
  const book = bookOf([node('a')], []);
  const service = providerRpc({
    known: async () => {
      made += 1;
      return { book, leases: [], decisions: [], address: 'farm', publicHost: '', errors: [], now: made, nodeName: (name) => name };
    },
    screening: () => expect.fail(),
    questions: { ask: () => expect.fail() },
    clock,
  });
  const gone = new AbortController();
  const context = { identity: anonymous, peer: '192.0.2.7:1', signal: gone.signal } as CallContext;
  const call = (name: string): unknown =>
    service.methods.find(({ descriptor }) => descriptor.localName === name)?.call(create(EmptySchema), context);
  const streams = [call('streamStatus'), call('streamStatus')].map((each) =>
    (each as AsyncGenerator<unknown, void>)[Symbol.asyncIterator](),
  );
  const answers = await Promise.all([call('getStatus'), call('getStatus'), ...streams.map(async (each) => (await each.next()).value)]);
  expect([made, new Set(answers).size]).toEqual([1, 1]);
  const later = Promise.all(streams.map((each) => each.next()));
  await clock.advance(5_000);
  expect([new Set((await later).map(({ value }) => value)).size, made]).toEqual([1, 2]);
  gone.abort();
  await Promise.all(streams.map((each) => each.return()));
});
