import { FakeClock } from '@quartermaster/kernel';
import type { KubeObject, KubeWriter } from '@quartermaster/kube';
import { expect, it } from 'vitest';
import { usageAccess } from './usage-access.ts';

interface Review extends KubeObject {
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] };
}

const { signal } = new AbortController();

/** A token is `audience namespace:name`. */
const create = (async (_type: unknown, { spec }: Review) => {
  const [audience = '', account = ''] = spec.token.split(' ');
  const authenticated = spec.audiences?.includes(audience) === true;
  return { status: { authenticated, audiences: [audience], user: { username: `system:serviceaccount:${account}` } } };
}) as unknown as KubeWriter['create'];

it('lets in the accounts that it knows, with a token that was made for agents', async () => {
  const admit = usageAccess({ client: { create }, clock: new FakeClock(), namespace: 'stock', callers: ['operator', 'other/reader'] });
  const outcome = (token?: string) =>
    admit({ peer: '192.0.2.7:1', token, hasCertificate: true }, signal).then(
      () => 'admitted',
      ({ code }: { readonly code: string }) => code,
    );
  expect(await outcome('quartermaster-discovery stock:operator')).toBe('admitted');
  expect(await outcome('quartermaster-discovery other:reader')).toBe('admitted');
  expect(await outcome('quartermaster-discovery other:operator')).toBe('permission_denied');
  expect(await outcome('quartermaster-discovery stock:default')).toBe('permission_denied');
  expect(await outcome('https://kubernetes.default.svc stock:operator')).toBe('unauthenticated');
  expect(await outcome()).toBe('unauthenticated');
});

it('asks the cluster about so many guesses from one address, and lets in from there whom it knew before', async () => {
  const clock = new FakeClock();
  let reviews = 0;
  const counted = ((...args: unknown[]) => {
    reviews += 1;
    return (create as (...args: unknown[]) => Promise<unknown>)(...args);
  }) as unknown as KubeWriter['create'];
  const admit = usageAccess({ client: { create: counted }, clock, namespace: 'stock', callers: ['operator'] });
  const call = (port: number, token: string) => admit({ peer: `192.0.2.7:${port}`, token, hasCertificate: false }, signal);
  await call(1, 'quartermaster-discovery stock:operator');
  for (let guess = 1; guess <= 20; guess += 1)
    await expect(call(guess, `guess ${guess}`)).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(call(21, 'guess 21')).rejects.toMatchObject({ code: 'resource_exhausted', details: { retryAfterMs: 200 } });
  expect(reviews).toBe(21);
  await call(22, 'quartermaster-discovery stock:operator');
  await clock.advance(200);
  await expect(call(23, 'guess 23')).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(reviews).toBe(22);
});
