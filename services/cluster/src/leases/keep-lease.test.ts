import { readManifest } from '@quartermaster/api/lease-manifest';
import { providerLeasedIPType } from '@quartermaster/api/provider-leased-ip';
import type { KubeObject, ResourceType } from '@quartermaster/kube';
import type { Namespace } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import { settings } from '../../test/lease-content.ts';
import { type TenantWish, tenantManifest, tenantReservation } from '../../test/lease-tenant.ts';
import { Gi } from '../../test/sample-facts.ts';
import { sampleRecord } from '../../test/sample-record.ts';
import { type LiveObject, liveObject } from '../apply/live-object.ts';
import type { SeenClaim } from '../health/lease-health.ts';
import type { WantedHostname } from '../hostnames/hostname-book.ts';
import { providerHostObject } from '../hostnames/provider-host.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { StoredManifest } from '../known-leases/manifest-store.ts';
import { seenNamespace } from '../known-leases/seen-namespaces.ts';
import { namespaceLabel } from '../model/lease-labels.ts';
import { keepLease } from './keep-lease.ts';
import type { LeaseContext } from './lease-context.ts';

const record = sampleRecord();
const { lease, name } = record;
const wish: TenantWish = { order: lease, hosts: ['www.example.com', 'api.example.com'], keeper: 'store' };
/** What was confirmed with the manifest is done. */
const deployed = { manifestHash: 'hash', deployedAt: 1 };

interface Standing {
  /** hostname -> what becomes of its claim, where the lease does not get it. */
  readonly states?: Readonly<Record<string, string>>;
  readonly objects?: readonly LiveObject[];
  readonly claims?: readonly SeenClaim[];
  readonly confirmed?: readonly string[];
  readonly recorded?: Partial<LeaseRecord>;
  /** Whose the leased address is that the manifest asks for, as its declaration says; without it none is asked for. */
  readonly addressOf?: string | undefined;
  /** The lease to which its address was moved. */
  readonly movedTo?: string | undefined;
}

/** A lease that had a route more, in a cluster that has nothing else of it yet, unless told. */
async function kept({ states = {}, objects = [], claims = [], confirmed = [], recorded = {}, addressOf, movedTo }: Standing = {}) {
  const asked: TenantWish = { ...wish, ip: addressOf === undefined ? undefined : 'front' };
  const [group] = readManifest(tenantManifest(asked).json);
  const stored = { group, hash: 'hash', salt: 'salt', confirmed, lease } as unknown as StoredManifest;
  const address = liveObject(providerLeasedIPType, { metadata: { name: 'an-address', labels: { [namespaceLabel]: addressOf ?? '' } } });
  const did: string[] = [];
  const applied: LiveObject[] = [];
  const wrote = async (verb: string, type: ResourceType, object: KubeObject): Promise<KubeObject> => {
    did.push(`${verb} ${type.kind} ${object.metadata?.name}`);
    if (verb === 'apply') applied.push(liveObject(type, object));
    return { ...object, metadata: { ...object.metadata, uid: 'uid', resourceVersion: '1' } };
  };
  const old = providerHostObject(lease, { hostname: 'old.example.com', service: 'web', externalPort: 80 }, 'lease');
  const context = {
    networks: () => ({ blocked: [] }),
    apiServers: () => [],
    namespaces: { get: () => undefined, wrote: (object: Namespace) => seenNamespace(object) },
    reader: {},
    writer: {
      create: (type: ResourceType, object: KubeObject) => wrote('create', type, object),
      apply: (type: ResourceType, object: KubeObject) => wrote('apply', type, object),
      delete: async (type: { kind: string }, ref: { name: string }) => void did.push(`delete ${type.kind} ${ref.name}`),
    },
    reserver: () => ({ activate: async () => void did.push('recorded') }),
    addressClaims: {
      caughtUp: async () => void did.push('caught up'),
      release: async (_lease: unknown, keep: ReadonlySet<string>) =>
        void did.push(`released all addresses but ${[...keep].join() || 'none'}`),
    },
    addresses: { heldBy: () => undefined, givenBy: () => (movedTo === undefined ? undefined : { lease: movedTo, address: '192.0.2.7' }) },
    records: { of: () => undefined },
    hostnameClaims: {
      reserve: async (_lease: unknown, wanted: readonly WantedHostname[]) => {
        did.push('reserved');
        return wanted.map((each) => ({ ...each, state: states[each.hostname] ?? 'held', code: '', message: '' }));
      },
      release: async (_lease: unknown, keep: readonly WantedHostname[]) =>
        void did.push(`released all but ${keep.map(({ hostname }) => hostname).join()}`),
    },
    clock: { now: () => 0 },
    hostnames: { heldBy: () => [], holderOf: (hostname: string) => (hostname.startsWith('old') ? undefined : name) },
    caches: {
      ...{
        podsIn: () => [],
        portsIn: () => [{ endpoint: 'front' }],
        objectsIn: () => objects,
        declared: (kind: string) => (kind === providerLeasedIPType.kind ? address : undefined),
        declaredFor: () => [liveObject(old.type, old.object)],
      },
      ...{
        applied: () => {},
        removed: () => {},
        claims: { byIndex: () => claims.map((value) => ({ key: `${record.namespace}/${value.name}`, uid: value.name, value })) },
      },
    },
    manifests: { isUnclean: () => false, isNewest: async () => true },
    announce: (what: string, _lease: unknown, hostname: string) => did.push(`announced ${what} ${hostname}`),
    settings: {
      ...{ manifestNamespace: 'lease', objects: { ...settings, hasNetworkPolicies: false } },
      terms: { ingressDomain: '', staticHosts: false },
    },
  } as unknown as LeaseContext;
  const at = { name, lease, record: { ...record, ...recorded }, signal: new AbortController().signal };
  const outcome = await keepLease(context, at, stored, tenantReservation(asked));
  return { did, applied, outcome };
}

/** Which the server refuses to change. */
function withOtherSelector({ text }: LiveObject): string {
  const object = JSON.parse(text) as { readonly spec: object };
  return JSON.stringify({ ...object, spec: { ...object.spec, selector: { matchLabels: { app: 'another' } } } });
}

describe('what a lease is brought to', () => {
  it('has hostnames before they lead anywhere, and gives them back after they lead nowhere', async () => {
    const { did, outcome } = await kept();
    expect(outcome).toEqual({ kind: 'deployed', namespaceUid: 'uid' });
    expect(did.filter((each) => !/apply (?!ProviderHost)/.test(each))).toEqual([
      'caught up',
      `create Namespace ${record.namespace}`,
      'recorded',
      'reserved',
      'announced hostname www.example.com',
      'announced hostname api.example.com',
      'apply ProviderHost www.example.com',
      'apply ProviderHost api.example.com',
      'delete ProviderHost old.example.com',
      'released all but www.example.com,api.example.com',
      'released all addresses but none',
    ]);
    const at = (what: string) => did.findIndex((each) => each.startsWith(what));
    // What bounds pods comes before them, and what answers before the route to it.
    expect(at('apply ResourceQuota')).toBeLessThan(at('apply Deployment'));
    expect(at('apply Deployment')).toBeLessThan(at('apply ProviderHost'));
  });

  it('declares no hostname that it did not get', async () => {
    const { did } = await kept({ states: { 'www.example.com': 'withheld' } });
    expect(did.filter((each) => each.startsWith('apply ProviderHost'))).toEqual(['apply ProviderHost api.example.com']);
  });

  it('gives no hostname back while its leased address is declared for another lease', async () => {
    const { did, outcome } = await kept({ addressOf: 'lease-bob-1-1-1' });
    expect(outcome).toMatchObject({ kind: 'blocked', reason: 'LeasedIPTaken', namespaceUid: 'uid' });
    expect(did).toContain('reserved');
    expect(did.filter((each) => each.startsWith('released'))).toEqual([]);
  });

  it('keeps an address that was moved until the lease that gets it asks for it, and looks again', async () => {
    const { did, applied, outcome } = await kept({ addressOf: record.namespace, movedTo: 'amy-8-1-1' });
    expect(outcome).toMatchObject({ kind: 'under-way', message: 'an address is being moved to another lease' });
    expect(applied.filter(({ text }) => text.includes('LoadBalancer'))).toHaveLength(1);
    expect([did[0], did.at(-1)]).toEqual(['caught up', 'released all addresses but front']);
  });

  it('leads no route anywhere, and gives nothing back, while a workload is on its way out that is made anew', async () => {
    const { applied } = await kept();
    const objects = applied.map((each) => (each.type.kind === 'Deployment' ? { ...each, text: withOtherSelector(each) } : each));
    const { did, outcome } = await kept({ objects });
    expect(did).toContain('delete Deployment web');
    expect(did.filter((each) => /ProviderHost|^released/.test(each))).toEqual([]);
    expect(outcome).toEqual({ kind: 'under-way', message: expect.stringContaining('is being recreated'), namespaceUid: 'uid' });
  });

  it.each<readonly [string, string, Partial<LeaseRecord>, readonly string[]]>([
    ['loses', 'has not been done yet', { manifestHash: 'hash' }, ['delete PersistentVolumeClaim store-data-store-5']],
    ['loses', 'came with a newer manifest', { manifestHash: 'before', deployedAt: 1 }, ['delete PersistentVolumeClaim store-data-store-5']],
    ['keeps', 'has been done', deployed, []],
  ])('%s the volume of a replica that is gone, where the loss that was confirmed %s', async (_, _what, recorded, deleted) => {
    const claim = { name: 'store-data-store-5', storageClass: 'ceph-nvme', bytes: Gi } as SeenClaim;
    const { did, outcome } = await kept({ claims: [claim], confirmed: ['store/data'], recorded });
    expect(did.filter((each) => each.startsWith('delete Pers'))).toEqual(deleted);
    expect(outcome.kind).toBe('deployed');
  });

  it.each<readonly [string, string, string, Partial<LeaseRecord>, readonly string[]]>([
    ['keeps', 'a Service of it is made anew', 'Service', {}, []],
    ['loses', 'its StatefulSet is made anew', 'StatefulSet', {}, ['delete PersistentVolumeClaim store-data-store-0']],
    ['keeps', 'its StatefulSet is made anew after that was done', 'StatefulSet', deployed, []],
  ])('%s a volume that somebody made larger, whose loss was confirmed, where %s', async (_does, _where, kind, recorded, deleted) => {
    const { applied } = await kept();
    const objects = applied.filter((each) => !(each.type.kind === kind && each.name.startsWith('store')));
    expect(objects.length).toBe(applied.length - 1);
    const claim = { name: 'store-data-store-0', storageClass: 'ceph-nvme', bytes: 2 * Gi } as SeenClaim;
    const { did } = await kept({ objects, claims: [claim], confirmed: ['store/data'], recorded });
    expect(did.filter((each) => each.startsWith('delete Pers'))).toEqual(deleted);
  });
});
