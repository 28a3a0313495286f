import { FakeClock, silentLog } from '@quartermaster/kernel';
import { expect, it } from 'vitest';
import { Upstream } from './upstream.ts';

it('tells the log once why it does not answer, and whoever asks since when, without addresses', async () => {
  const logged: object[] = [];
  const clock = new FakeClock();
  const upstream = new Upstream({
    title: 'inventory',
    url: () => 'https://inventory.internal:8080',
    clock,
    log: { ...silentLog, warn: (message, fields) => void logged.push({ message, ...fields }) },
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 10.1.2.3:8080') })),
  });
  const ask = () => upstream.send({ method: 'GET', path: '/v1/view', headers: {}, token: 't' }, new AbortController().signal);
  const since = clock.now();
  const refusal = {
    code: 'unavailable',
    message: `the inventory has not answered since ${new Date(since).toISOString()}: it is asked again by itself`,
    details: { since },
  };
  await expect(ask()).rejects.toMatchObject(refusal);
  await clock.advance(1_000);
  await expect(ask()).rejects.toMatchObject(refusal);
  expect(logged).toEqual([
    { message: 'an upstream does not answer', upstream: 'inventory', error: expect.stringContaining('ECONNREFUSED 10.1.2.3:8080') },
  ]);
});
