import { StatusError } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { namespaceSeal } from '../../test/namespace-seal.ts';
import { sampleRecord } from '../../test/sample-record.ts';
import { liveObject } from '../apply/live-object.ts';
import { providerHostObject } from '../hostnames/provider-host.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import { leaseAnnotations, leaseLabels } from '../model/lease-labels.ts';
import { orderName } from '../reservations/order-name.ts';
import type { Leftover } from './lease-action-types.ts';
import type { LeaseContext } from './lease-context.ts';
import { collectLeftovers } from './leftovers.ts';

const { lease, name, namespace } = sampleRecord();
const other = { ...lease, dseq: 8n };
const salt = 'salt';

interface Left {
  /** What the market says of the lease, from the first or once it is asked. */
  readonly market?: 'active' | 'closed' | undefined;
  readonly isListed?: boolean | undefined;
  readonly record?: Partial<LeaseRecord> | undefined;
  readonly others?: readonly LeaseRecord[] | undefined;
  /** The uid of the namespace of a reservation of the lease, and of one of another lease. */
  readonly reserved?: string | undefined;
  readonly reservedByOther?: string | undefined;
  readonly place?: object | 'none' | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly manifests?: readonly object[] | undefined;
  readonly hostnames?: readonly object[] | undefined;
  readonly addresses?: readonly object[] | undefined;
  readonly fails?: string | undefined;
  /** Why records are not known. */
  readonly unread?: string | undefined;
  readonly isSaltLost?: boolean | undefined;
}

async function collected(left: Left, dryRun = false) {
  const did: string[] = [];
  const act = async (what: string): Promise<void> => {
    if (what === left.fails) throw new StatusError('unavailable', 'no answer');
    did.push(what);
  };
  const records = [...(left.record === undefined ? [] : [sampleRecord(left.record)]), ...(left.others ?? [])];
  const metadata = { name: namespace, uid: 'ns', labels: leaseLabels(lease), annotations: leaseAnnotations(lease) };
  const place = {
    live: { ...liveObject(kinds.namespaces, { metadata }), applied: 'hash' },
    ...{ lease, seal: namespaceSeal(salt, 'ns'), isDeleting: false },
    ...(left.place === 'none' ? {} : left.place),
  };
  const hosts = (left.hosts ?? []).map((hostname) => {
    const { type, object } = providerHostObject(lease, { hostname, service: 'web', externalPort: 80 }, 'lease');
    return { ...liveObject(type, object), applied: 'hash' };
  });
  let isAsked = left.isListed === true;
  const reservations = [left.reserved, left.reservedByOther].map((uid) => ({ leaseNamespace: { name: namespace, uid } }));
  const context = {
    records: { problem: () => left.unread, of: (of: string) => records.find((each) => each.name === of), all: () => records },
    view: {
      of: (of: string) => ({ lease: isAsked && of === name && left.market !== undefined ? { state: left.market } : undefined }),
      ask: async () => void (isAsked = true),
    },
    book: { reservation: (of: string) => (of === name && left.reserved ? reservations[0] : undefined), reservations: () => reservations },
    namespaces: { all: () => (left.place === 'none' ? [] : [place]) },
    caches: { allDeclared: () => hosts, removed: () => {} },
    manifests: {
      all: () => left.manifests ?? [],
      saltOf: () => (left.isSaltLost === true ? undefined : { salt }),
      remove: (_writer: unknown, of: string) => act(`manifest ${of}`),
    },
    hostnames: { all: () => left.hostnames ?? [] },
    hostnameClaims: { release: (of: typeof lease) => act(`hostnames of ${orderName(of)}`) },
    addresses: { all: () => left.addresses ?? [] },
    addressClaims: { release: (of: string) => act(`addresses of ${of}`) },
    writer: { delete: (type: { kind: string }, ref: { name: string }) => act(`${type.kind} ${ref.name}`) },
    settings: { manifestNamespace: 'lease' },
  } as unknown as LeaseContext;
  const leftovers = await collectLeftovers(context, { dryRun }, new AbortController().signal);
  return { leftovers, did };
}
const told = (leftovers: readonly Leftover[]) => leftovers.map(({ reason, fate }) => `${reason} ${fate}`);

describe('what is left of a lease', () => {
  it('is not told, and stays, while records of leases are not followed', async () => {
    const left: Left = { market: 'closed', unread: 'tenantleases are not followed' };
    await expect(collected(left)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it.each<[what: string, left: Left, expected: readonly string[]]>([
    ['the market says that it is closed', { market: 'closed' }, ['LeaseClosed removed']],
    ['the market has said so already', { market: 'closed', isListed: true }, ['LeaseClosed removed']],
    ['the market does not know it', {}, ['LeaseUnknown kept']],
    ['the market says that it is active', { market: 'active' }, ['LeaseUnknown kept']],
    ['its record is complete', { record: { state: 'Complete', namespaceUid: 'ns' } }, ['LeaseClosed removed']],
    // The manager takes it away, or it waits for a person.
    ['its record is not complete, though it is closed', { market: 'closed', record: { state: 'Active', namespaceUid: 'ns' } }, []],
    ['something is reserved for it still', { market: 'closed', reserved: 'another' }, []],
    ['it is on record of what is reserved for it', { market: 'closed', reserved: 'ns' }, []],
    ['it is on its way out', { market: 'closed', place: { isDeleting: true } }, ['RemovalFailed removable']],
    ['it is on its way out, and of a lease that the market does not know', { place: { isDeleting: true } }, []],
    ['it is on its way out, and only has the labels', { market: 'closed', place: { isDeleting: true, seal: '' } }, []],
    ['its labels were changed', { market: 'closed', place: { lease: 'tampered' } }, []],
    ['it only has the labels', { market: 'closed', place: { seal: '' } }, ['NotOurs kept']],
    ['it has the seal of another namespace', { market: 'closed', place: { seal: namespaceSeal(salt, 'gone') } }, ['NotOurs kept']],
    ['nobody knows the salt of its lease any more', { market: 'closed', isSaltLost: true }, ['NotOurs kept']],
    [
      'it has the labels of a lease, and another name',
      {
        record: { state: 'Complete', namespaceUid: 'ns' },
        place: { live: liveObject(kinds.namespaces, { metadata: { name: 'kube-system', uid: 'ns' } }) },
      },
      ['NotOurs kept'],
    ],
    [
      'the record has another one, and it is not sealed',
      { record: { state: 'Complete', namespaceUid: 'gone' }, place: { seal: '' } },
      ['NotOurs kept'],
    ],
    ['the record did not note it, and it is sealed', { record: { state: 'Complete' } }, ['LeaseClosed removed']],
    [
      'the record has it, and nobody knows the salt any more',
      { record: { state: 'Complete', namespaceUid: 'ns' }, isSaltLost: true },
      ['LeaseClosed removed'],
    ],
    [
      'another lease has it on record, whatever its labels say',
      { market: 'closed', others: [sampleRecord({ name: orderName(other), lease: other, state: 'Active', namespaceUid: 'ns' })] },
      [],
    ],
    ['a reservation of another lease has it on record', { market: 'closed', reservedByOther: 'ns' }, []],
  ])('is a namespace where %s', async (_what, left, expected) => {
    const { leftovers, did } = await collected(left);
    expect(told(leftovers)).toEqual(expected);
    expect(did).toEqual(expected.some((each) => each.endsWith('removed')) ? [`Namespace ${namespace}`] : []);
  });

  const everything: Left = {
    ...{ market: 'closed', hosts: ['www.example.com'], manifests: [{ namespace, isSecretAlone: false, isOurs: true, lease }] },
    hostnames: [
      { hostname: 'www.example.com', owner: 'amy', lease: name, state: 'Held' },
      { hostname: 'api.example.com', owner: 'amy', lease: '', state: 'Released' },
    ],
    addresses: [{ address: '192.0.2.7', owner: 'amy', lease: name }],
  };
  const inOrder = [
    `Namespace ${namespace}`,
    'ProviderHost www.example.com',
    `manifest ${namespace}`,
    `hostnames of ${name}`,
    `addresses of ${name}`,
  ];

  it('goes in an order in which nothing is given back that still leads somewhere', async () => {
    const { leftovers, did } = await collected({ ...everything, place: 'none' });
    expect(told(leftovers)).toEqual(Array.from({ length: 4 }, () => 'LeaseClosed removed'));
    expect(did).toEqual(inOrder.slice(1));
  });

  it.each([false, true])('gives nothing back while its namespace goes, which may take long: deleted before: %s', async (isDeleting) => {
    const { leftovers, did } = await collected({ ...everything, place: { isDeleting } });
    expect(told(leftovers).slice(1)).toEqual(Array.from({ length: 4 }, () => 'RemovalFailed removable'));
    expect(leftovers[1]?.message).toBe(`it waits until Namespace ${namespace} is gone: collect leftovers again`);
    expect(did).toEqual(isDeleting ? [] : inOrder.slice(0, 1));
  });

  it('is listed and not touched by a dry run', async () => {
    const { leftovers, did } = await collected(everything, true);
    expect([told(leftovers), did]).toEqual([Array.from({ length: 5 }, () => 'LeaseClosed removable'), []]);
  });

  it('holds up the rest of its lease where it cannot be removed, and no other lease', async () => {
    const manifests = [...(everything.manifests ?? []), { namespace: 'other', isSecretAlone: false, isOurs: true, lease: other }];
    const others = [sampleRecord({ name: orderName(other), lease: other, state: 'Complete' })];
    const { leftovers, did } = await collected({ ...everything, manifests, others, fails: `Namespace ${namespace}` });
    expect(leftovers[0]).toMatchObject({ reason: 'RemovalFailed', fate: 'removable', message: 'it could not be removed: no answer' });
    const waits = {
      reason: 'RemovalFailed',
      fate: 'removable',
      message: `it waits until Namespace ${namespace} is gone: collect leftovers again`,
    };
    expect(leftovers.filter(({ lease: of }) => of === name).slice(1)).toMatchObject([waits, waits, waits, waits]);
    expect(did).toEqual(['manifest other']);
  });

  it('is kept whatever it is while the market does not say that the lease is closed', async () => {
    const { leftovers, did } = await collected({ ...everything, market: undefined });
    expect([told(leftovers), did]).toEqual([Array.from({ length: 5 }, () => 'LeaseUnknown kept'), []]);
  });
});
