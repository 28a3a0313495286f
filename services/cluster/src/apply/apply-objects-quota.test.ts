import { StatusError } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { desiredObject } from '../objects/desired-object.ts';
import { applyObjects } from './apply-objects.ts';
import { liveObject } from './live-object.ts';

const forbidden = (message: string) => new StatusError('permission_denied', message, { details: { kind: 'forbidden' } });
const metadata = (name: string) => ({ namespace: 'lease-a', name });

/** What a plan with one new and one old Deployment removes when the server refuses the new one. */
async function removedAfter(refusal: Error): Promise<readonly string[]> {
  const removed: string[] = [];
  const writer = {
    apply: () => Promise.reject(refusal),
    delete: async (_type: unknown, { name }: { readonly name: string }) => void removed.push(name),
  };
  const change = { desired: desiredObject(kinds.deployments, { metadata: metadata('new') }), live: undefined, mustRecreate: false };
  const plan = { apply: [[change]], remove: [[liveObject(kinds.deployments, { metadata: metadata('old') })]] };
  const done = applyObjects(plan, { writer: writer as never, salt: 'salt', signal: new AbortController().signal });
  await expect(done).rejects.toThrow(refusal.message);
  return removed;
}

describe('objects that the server refuses', () => {
  it('make room where a quota has none for them beside what is to go', async () => {
    const message = 'services "new" is forbidden: exceeded quota: akash-reservation, requested: services.nodeports=1';
    expect(await removedAfter(forbidden(message))).toEqual(['old']);
  });

  it('leave what runs alone where somebody else refuses them', async () => {
    expect(await removedAfter(forbidden('admission webhook "images.example" denied the request: not signed'))).toEqual([]);
    expect(await removedAfter(forbidden('deployments.apps "new" is forbidden: User "cluster" cannot patch resource'))).toEqual([]);
  });
});
