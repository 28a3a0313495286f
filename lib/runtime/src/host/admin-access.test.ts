import { FakeClock, StatusError } from '@quartermaster/kernel';
import type { KubeClient, KubeObject } from '@quartermaster/kube';
import { expect, it } from 'vitest';
import { adminAccess } from './admin-access.ts';

const { signal } = new AbortController();
const caller = { peer: '192.0.2.7:1', token: undefined, hasCertificate: false };

interface Asked {
  readonly token?: string;
  readonly user?: string;
  readonly nonResourceAttributes?: { readonly path: string };
}

/** Knows the tokens `good` and `stranger`, lets the owner of the first read /metrics, and everybody probes, as Kubernetes does. */
const create = (async (type: { readonly kind: string }, { spec }: KubeObject & { readonly spec: Asked }) => {
  const { token = '', user, nonResourceAttributes } = spec;
  if (type.kind === 'TokenReview') return { status: { authenticated: ['good', 'stranger'].includes(token), user: { username: token } } };
  return { status: { allowed: nonResourceAttributes?.path !== '/metrics' || user === 'good' } };
}) as unknown as KubeClient['create'];

it('admits certificates, and tokens whose owners may get the path', async () => {
  const admit = adminAccess({ connect: async () => ({ create }), clock: new FakeClock() });
  await admit({ ...caller, hasCertificate: true }, signal);
  await admit({ ...caller, token: 'good' }, signal);
  await expect(admit(caller, signal)).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(admit({ ...caller, token: 'bad' }, signal)).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(admit({ ...caller, token: 'stranger' }, signal)).rejects.toMatchObject({
    code: 'permission_denied',
    message: 'stranger may not get /metrics: bind it to a ClusterRole with nonResourceURLs: [/metrics] and verbs: [get]',
  });
});

it('asks the cluster about the same caller once in a while, whether or not it may', async () => {
  const clock = new FakeClock();
  const asked: string[] = [];
  const counted = ((type: { readonly kind: string }, ...rest: unknown[]) => {
    asked.push(type.kind);
    return (create as (...args: unknown[]) => Promise<unknown>)(type, ...rest);
  }) as unknown as KubeClient['create'];
  const admit = adminAccess({ connect: async () => ({ create: counted }), clock });
  const reviews = (): number => asked.filter((kind) => kind === 'SubjectAccessReview').length;
  for (let call = 0; call < 5; call += 1) {
    await admit({ ...caller, token: 'good' }, signal);
    await expect(admit({ ...caller, token: 'stranger' }, signal)).rejects.toMatchObject({ code: 'permission_denied' });
  }
  expect(reviews()).toBe(2);
  await clock.advance(10_001);
  await expect(admit({ ...caller, token: 'stranger' }, signal)).rejects.toMatchObject({ code: 'permission_denied' });
  expect(reviews()).toBe(3);
});

it('asks for a cluster only for tokens, and again when there was none', async () => {
  let tries = 0;
  const connect = async () => {
    tries += 1;
    if (tries === 1) throw new StatusError('invalid_argument', 'no kubeconfig');
    return { create };
  };
  const admit = adminAccess({ connect, clock: new FakeClock() });
  await admit({ ...caller, hasCertificate: true }, signal);
  expect(tries).toBe(0);
  await expect(admit({ ...caller, token: 'good' }, signal)).rejects.toThrow('set kubeconfig, or show a client certificate');
  await admit({ ...caller, token: 'good' }, signal);
  await admit({ ...caller, token: 'good' }, signal);
  expect(tries).toBe(2);
});

it('asks the cluster about so many guesses from one address, and about nobody there whom it knew before', async () => {
  const clock = new FakeClock();
  const reviewed: (string | undefined)[] = [];
  const counted = ((type: { readonly kind: string }, object: KubeObject & { readonly spec: Asked }) => {
    if (type.kind === 'TokenReview') reviewed.push(object.spec.token);
    return (create as (...args: unknown[]) => Promise<unknown>)(type, object);
  }) as unknown as KubeClient['create'];
  const admit = adminAccess({ connect: async () => ({ create: counted }), clock });
  await admit({ ...caller, token: 'good' }, signal);
  const guess = (number: number, peer = `192.0.2.7:${number}`) => admit({ ...caller, peer, token: `guess-${number}` }, signal);
  for (let number = 1; number <= 20; number += 1) await expect(guess(number)).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(guess(21)).rejects.toMatchObject({ code: 'resource_exhausted', details: { retryAfterMs: 200 } });
  await expect(admit(caller, signal)).rejects.toMatchObject({ code: 'resource_exhausted' });
  expect(reviewed).toHaveLength(21);
  await admit({ ...caller, token: 'good' }, signal);
  await admit({ ...caller, hasCertificate: true }, signal);
  await expect(guess(22, '192.0.2.8:1')).rejects.toMatchObject({ code: 'unauthenticated' });
  await clock.advance(200);
  await expect(guess(23)).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(guess(24)).rejects.toMatchObject({ code: 'resource_exhausted' });
});
