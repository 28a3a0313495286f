import { providerLeasedIPType } from '@quartermaster/api/provider-leased-ip';
import type { KubeObject } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { sampleRecord } from '../../test/sample-record.ts';
import { withHash } from '../apply/apply-objects.ts';
import { type LiveObject, liveObject } from '../apply/live-object.ts';
import { providerHostObject } from '../hostnames/provider-host.ts';
import { namespaceLabel } from '../model/lease-labels.ts';
import type { DesiredObject } from '../objects/desired.ts';
import { keepDeclared } from './keep-declared.ts';
import type { LeaseContext } from './lease-context.ts';

const record = sampleRecord();
const { lease, name, namespace } = record;
const host = (hostname: string, service = 'web'): DesiredObject =>
  providerHostObject(lease, { hostname, service, externalPort: 80 }, 'lease');
const address = (labels: Readonly<Record<string, string>>, spec: object = {}): DesiredObject => ({
  type: providerLeasedIPType,
  object: { metadata: { namespace: 'lease', name: `${namespace}-mail`, labels }, spec } as KubeObject,
});
const stored = (desired: DesiredObject): LiveObject => {
  const { metadata, ...object } = withHash(desired, 'salt');
  return liveObject(desired.type, { ...object, metadata: { ...metadata, uid: `uid-${metadata?.name}`, resourceVersion: '5' } });
};

/** With what is declared of the lease, and who has which hostname: this lease all of them unless told. */
async function kept(desired: readonly DesiredObject[], there: readonly LiveObject[], holders?: Readonly<Record<string, string>>) {
  const did: string[] = [];
  const decided: unknown[] = [];
  const deleted: unknown[] = [];
  const context = {
    caches: {
      declared: (kind: string, ref: { name: string }) => there.find((each) => each.type.kind === kind && each.name === ref.name),
      declaredFor: () => there.filter(({ labels }) => labels[namespaceLabel] === namespace),
      applied: () => {},
      removed: () => {},
    },
    clock: { now: () => 0 },
    hostnames: { heldBy: () => [], holderOf: (hostname: string) => (holders === undefined ? name : holders[hostname]) },
    settings: { manifestNamespace: 'lease' },
    writer: {
      apply: async (_type: unknown, object: KubeObject, { decidedOn }: { decidedOn: unknown }) => {
        did.push(`apply ${object.metadata?.name}`);
        decided.push(decidedOn);
        return object;
      },
      delete: async (_type: unknown, ref: { name: string }, { preconditions }: { preconditions: unknown }) => {
        did.push(`delete ${ref.name}`);
        deleted.push({ ...ref, preconditions });
      },
    },
  } as unknown as LeaseContext;
  const taken = await keepDeclared(context, { name, lease, record, signal: new AbortController().signal }, 'salt', desired);
  return { did, decided, deleted, taken };
}

describe('what is declared of a lease', () => {
  it('is applied where it differs, from the version that was looked at, before what is too much goes', async () => {
    const there = [stored(host('www.example.com', 'old')), stored(host('old.example.com')), stored(host('same.example.com'))];
    const { did, decided } = await kept([host('www.example.com'), host('same.example.com'), host('new.example.com')], there);
    expect(did).toEqual(['apply www.example.com', 'apply new.example.com', 'delete old.example.com']);
    expect(decided).toEqual([{ uid: 'uid-www.example.com', resourceVersion: '5' }, 'absent']);
  });

  it('goes in the version that was looked at, where a transfer may give it to another lease; an address goes whatever its version is', async () => {
    const { deleted } = await kept([], [stored(host('www.example.com')), stored(address({ [namespaceLabel]: namespace }))]);
    const [uid, ip] = ['uid-www.example.com', `${namespace}-mail`];
    expect(deleted).toEqual([
      { namespace: 'lease', name: 'www.example.com', preconditions: { uid, resourceVersion: '5' } },
      { namespace: 'lease', name: ip, preconditions: { uid: `uid-${ip}` } },
    ]);
  });

  it.each([
    ['nobody', {}, ['delete www.example.com']],
    ['this lease', { 'www.example.com': name }, ['delete www.example.com']],
    ['another lease, which declares it itself', { 'www.example.com': 'amy-8-1-1' }, []],
    ['this lease, and another has another', { 'www.example.com': name, 'api.example.com': 'amy-8-1-1' }, ['delete www.example.com']],
  ])('goes with its hostname, unless the claim is of %s', async (_whose, holders, expected) => {
    expect((await kept([], [stored(host('www.example.com'))], holders)).did).toEqual(expected);
  });

  it('takes a route over that another lease has declared, and no address', async () => {
    const theirs = { [namespaceLabel]: 'lease-bob-1-1-1' };
    const route = stored(host('www.example.com', 'old'));
    expect((await kept([host('www.example.com')], [{ ...route, labels: theirs }])).did).toEqual(['apply www.example.com']);
    const { did, taken } = await kept([address({ [namespaceLabel]: namespace })], [stored(address(theirs))]);
    expect([did, taken?.reason]).toEqual([[], 'LeasedIPTaken']);
    const own = { [namespaceLabel]: namespace };
    expect((await kept([address(own, { port: 25 })], [stored(address(own))])).did).toEqual([`apply ${namespace}-mail`]);
  });
});
