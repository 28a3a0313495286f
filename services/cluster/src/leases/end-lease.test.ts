import { providerHostType } from '@quartermaster/api/provider-host';
import { again, done } from '@quartermaster/controller';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import type { KubeObject } from '@quartermaster/kube';
import type { Namespace } from '@quartermaster/kube/shapes';
import { beforeEach, describe, expect, it } from 'vitest';
import { namespaceSeal } from '../../test/namespace-seal.ts';
import { sampleRecord } from '../../test/sample-record.ts';
import { type LiveObject, liveObject } from '../apply/live-object.ts';
import { providerHostObject } from '../hostnames/provider-host.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import { sealAnnotation } from '../known-leases/seen-namespaces.ts';
import { leaseAnnotations, leaseLabels } from '../model/lease-labels.ts';
import { orderName } from '../reservations/order-name.ts';
import { endLease } from './end-lease.ts';
import type { LeaseContext } from './lease-context.ts';

const { signal } = new AbortController();

describe('the end of a lease', () => {
  let clock: FakeClock;
  let record: LeaseRecord;
  let namespace: Namespace | undefined;
  let did: string[];
  let fails: string | undefined;
  let salt: string | undefined;
  let reserved: string | undefined;
  let routes: readonly LiveObject[];
  /** What the server has, and the watches have not shown. */
  let unseen: readonly KubeObject[];

  beforeEach(() => {
    routes = [];
    unseen = [];
    clock = new FakeClock();
    record = sampleRecord({ state: 'Active', reason: 'Closing', closingAt: clock.now(), namespaceUid: 'ns-uid' });
    namespace = { metadata: { name: record.namespace, uid: 'ns-uid' } };
    did = [];
    fails = undefined;
    salt = 'salt';
    reserved = undefined;
  });

  /** Everything that it is done with, in the order in which it is. */
  const context = (): LeaseContext => {
    const step = (what: string) => async () => {
      if (fails === what) throw new StatusError('unavailable', `no answer to ${what}`);
      did.push(what);
    };
    return {
      reader: {
        find: async () => namespace,
        list: async ({ kind }: { kind: string }) => ({ items: kind === 'ProviderHost' ? unseen : [] }),
      },
      writer: { delete: async ({ kind }: { kind: string }) => step(kind === 'Namespace' ? 'namespace' : 'routes')() },
      records: {
        change: async (_writer: unknown, _name: string, change: (before: LeaseRecord) => LeaseRecord) => {
          record = change(record);
          return record;
        },
      },
      caches: {
        declaredFor: () => routes,
        applied: (_kind: string, object: KubeObject) => void (routes = [...routes, liveObject(providerHostType, object)]),
        removed: () => {},
      },
      settings: { manifestNamespace: 'lease' },
      hostnames: { heldBy: () => [], holderOf: () => undefined },
      book: { reservation: () => reserved && { leaseNamespace: { name: record.namespace, uid: reserved } } },
      hostnameClaims: { release: step('hostnames') },
      addressClaims: { release: step('addresses') },
      manifests: { remove: step('manifest'), saltOf: () => salt && { salt } },
      announce: step('announced'),
      clock,
    } as unknown as LeaseContext;
  };
  const end = () => endLease(context(), { name: orderName(record.lease), lease: record.lease, record, signal });

  it('gives nothing back while its namespace is there, and is complete when all of it is gone', async () => {
    expect(await end()).toEqual(again(2_000));
    expect(did).toEqual(['namespace']);
    namespace = undefined;
    expect(await end()).toEqual(done);
    expect(did).toEqual(['namespace', 'hostnames', 'addresses', 'manifest', 'announced']);
    expect(record).toMatchObject({ state: 'Complete', leftovers: [] });
  });

  it('takes away what its watches have not shown yet', async () => {
    namespace = undefined;
    unseen = [providerHostObject(record.lease, { hostname: 'www.example.com', service: 'web', externalPort: 80 }, 'lease').object];
    expect(await end()).toEqual(done);
    expect(did).toEqual(['routes', 'hostnames', 'addresses', 'manifest', 'announced']);
  });

  it('tells what does not go, since when and why, until it has gone', async () => {
    const since = clock.now();
    const conditions = [{ type: 'NamespaceFinalizersRemaining', status: 'True', message: 'pods/web-0 has finalizer example.com/hold' }];
    const deletionTimestamp = new Date(since).toISOString();
    namespace = { metadata: { ...namespace?.metadata, deletionTimestamp }, status: { phase: 'Terminating', conditions } };
    await clock.advance(30_000);
    await end();
    expect(record.leftovers).toEqual([]);
    await clock.advance(31_000);
    expect(await end()).toEqual(again(2_000));
    const told = { what: `Namespace ${record.namespace}`, message: expect.stringContaining('web-0 has finalizer example.com/hold') };
    expect(record.leftovers).toMatchObject([{ ...told, since: since + 61_000 }]);
    await clock.advance(60_000);
    await end();
    expect(record.leftovers).toMatchObject([{ ...told, since: since + 61_000 }]);
    expect(did).toEqual([]);
    namespace = undefined;
    await end();
    expect(record).toMatchObject({ state: 'Complete', leftovers: [] });
  });

  it('records what fails, and goes on there the next time', async () => {
    namespace = undefined;
    fails = 'manifest';
    await expect(end()).rejects.toThrow('no answer to manifest');
    expect(record).toMatchObject({ state: 'Active', leftovers: [{ message: 'no answer to manifest' }] });
    fails = undefined;
    expect(await end()).toEqual(done);
    expect(record).toMatchObject({ state: 'Complete', leftovers: [] });
  });

  it('leaves a namespace alone that only has its name, but does not end before one that says it is of this lease', async () => {
    namespace = { metadata: { name: record.namespace, uid: 'other' } };
    expect(await end()).toEqual(done);
    record = sampleRecord({ state: 'Active', reason: 'Closing', closingAt: clock.now(), namespaceUid: undefined });
    const [labels, annotations] = [leaseLabels(record.lease), leaseAnnotations(record.lease)];
    namespace = { metadata: { name: record.namespace, uid: 'other', labels, annotations } };
    expect(await end()).toEqual(again(2_000));
    expect(record.leftovers).toMatchObject([{ message: expect.stringContaining('delete it to finish closing the lease') }]);
    // Whoever can read the other one can write this.
    const said = { ...annotations, [sealAnnotation]: namespaceSeal('salt', 'ns-uid') };
    namespace = { metadata: { ...namespace.metadata, annotations: said } };
    expect(await end()).toEqual(again(2_000));
    expect(did).not.toContain('namespace');
  });

  it('does not end before a namespace that its reservation names, whatever became of its labels and its record', async () => {
    record = sampleRecord({ state: 'Active', reason: 'Closing', closingAt: clock.now(), namespaceUid: undefined });
    namespace = { metadata: { name: record.namespace, uid: 'ns-uid' } };
    salt = undefined;
    reserved = 'ns-uid';
    expect(await end()).toEqual(again(2_000));
    expect([did, record.leftovers]).toEqual([[], [expect.objectContaining({ what: `Namespace ${record.namespace}` })]]);
    reserved = 'another';
    expect(await end()).toEqual(done);
  });

  it.each([
    ['takes away the namespace that was made for a record that is lost', 'salt', ['namespace']],
    ['leaves it alone without what its seal was made with', undefined, []],
  ])('%s', async (_, known, expected) => {
    record = sampleRecord({ state: 'Active', reason: 'Closing', closingAt: clock.now(), namespaceUid: undefined });
    const annotations = {
      ...leaseAnnotations(record.lease),
      [sealAnnotation]: namespaceSeal('salt', 'ns-uid'),
    };
    namespace = { metadata: { name: record.namespace, uid: 'ns-uid', labels: leaseLabels(record.lease), annotations } };
    salt = known;
    expect(await end()).toEqual(again(2_000));
    expect(did).toEqual(expected);
  });

  it('has no route left before its hostnames are given back, and gives none back while one is there', async () => {
    const { type, object } = providerHostObject(record.lease, { hostname: 'www.example.com', service: 'web', externalPort: 80 }, 'lease');
    routes = [liveObject(type, object)];
    await end();
    expect(did).toEqual(['namespace']);
    namespace = undefined;
    fails = 'routes';
    await expect(end()).rejects.toThrow('no answer to routes');
    expect(did).toEqual(['namespace']);
    fails = undefined;
    expect(await end()).toEqual(done);
    expect(did).toEqual(['namespace', 'routes', 'hostnames', 'addresses', 'manifest', 'announced']);
  });

  it('does not wait for a namespace of its name that says it is of another lease', async () => {
    const other = { ...record.lease, dseq: 8n };
    const [labels, annotations] = [leaseLabels(other), leaseAnnotations(other)];
    namespace = { metadata: { name: record.namespace, uid: 'other', labels, annotations } };
    expect(await end()).toEqual(done);
    expect(did).not.toContain('namespace');
  });
});
