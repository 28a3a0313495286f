import { FakeClock } from '@quartermaster/kernel';
import type { KubeObject, KubeWriter } from '@quartermaster/kube';
import { expect, it } from 'vitest';
import { usageAccess } from './usage-access.ts';

interface Review extends KubeObject {
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] };
}

/** A token is `audience namespace:name`. */
const create = (async (_type: unknown, { spec }: Review) => {
  const [audience = '', account = ''] = spec.token.split(' ');
  const authenticated = spec.audiences?.includes(audience) === true;
  return { status: { authenticated, audiences: [audience], user: { username: `system:serviceaccount:${account}` } } };
}) as unknown as KubeWriter['create'];

it('lets in the accounts that it knows, with a token that was made for agents', async () => {
  const admit = usageAccess({ client: { create }, clock: new FakeClock(), namespace: 'stock', callers: ['operator', 'other/reader'] });
  const { signal } = new AbortController();
  const outcome = (token?: string) =>
    admit({ token, hasCertificate: true }, signal).then(
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
