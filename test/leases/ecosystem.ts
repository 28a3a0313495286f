import { hostnameClaimType } from '@quartermaster/api/hostname-claim';
import { contractsFolder } from '@quartermaster/api/manifests';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { orderName } from '@quartermaster/cluster';
import { LeaseProcess, RecordedMarket } from '@quartermaster/cluster/testing';
import { systemClock } from '@quartermaster/kernel';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { patience } from '../contract/client-fixtures.ts';
import type { ContractServer } from '../contract/contract-server.ts';
import { objectsOf } from './crash-state.ts';
import { exceptions, fieldAt, networks, ownObjects, renamed } from './ecosystem-exceptions.ts';
import { type Fields, facts } from './ecosystem-facts.ts';
import { manifest, marketOrder, order, promised } from './ecosystem-lease.ts';

const contracts = ['tenant-lease', 'manifest', 'provider-host', 'provider-leased-ip', 'hostname-claim', 'address-claim', 'tenant-shell'];

/** The objects of a lease with something of everything, as the server has them, against what the ecosystem knows of them. */
export function describeEcosystem(which: 'simulated' | 'real', server: () => ContractServer): void {
  describe(`the objects of a lease on the ${which} API server`, () => {
    let leader: LeaseProcess;
    let found: ReadonlyMap<string, KubeObject>;

    beforeAll(async () => {
      const { client } = server();
      for (const definition of await readManifests(contractsFolder, contracts))
        await client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
      for (const type of [tenantLeaseType, hostnameClaimType])
        await vi.waitFor(() => client.list(type as typeof tenantLeaseType, { limit: 1 }), patience);
      // A server of the tests does not say where it is.
      const labels = { 'kubernetes.io/service-name': 'kubernetes' };
      const { items: slices } = await client.list(kinds.endpointSlices, {
        namespace: 'default',
        labelSelector: 'kubernetes.io/service-name=kubernetes',
      });
      if (slices.length === 0)
        await client.create(kinds.endpointSlices, {
          ...{ metadata: { namespace: 'default', name: 'kubernetes', labels }, addressType: 'IPv4' },
          ...{ endpoints: [{ addresses: [networks.ofServer] }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] },
        });
      await client.create(kinds.serviceCIDRs, { metadata: { name: 'public' }, spec: { cidrs: [networks.ofServices] } });
      await client.create(kinds.nodes, {
        metadata: { name: 'public' },
        spec: { podCIDR: networks.ofPods, podCIDRs: [networks.ofPods] },
        status: { addresses: [{ type: 'ExternalIP', address: networks.ofNode }] },
      });
      const market = new RecordedMarket([], systemClock);
      const reservations = new Map([[orderName(order), promised()]]);
      market.order(marketOrder, manifest);
      await market.createBid(order, { price: { denom: 'uakt', amount: '1' }, cards: new Map() });
      market.tenant('accept', order);
      leader = await LeaseProcess.start({ client, market, reservations, clock: systemClock });
      await vi.waitFor(async () => {
        const { status } = (await client.find(tenantLeaseType, { name: orderName(order) })) ?? {};
        if (status?.deployedAt === undefined) throw new Error(`it is not deployed: ${status?.reason} ${status?.message}`);
      }, patience);
      found = new Map((await objectsOf(client, order)).map(({ kind, object }) => [nameOf(kind, object), object]));
    }, 120_000);

    afterAll(() => leader?.stop());

    const ours = (name: string): readonly string[] => [...found.keys()].filter((each) => renamed[name]?.test(each) ?? each === name);

    it('are those of the ecosystem, and those that are told of', () => {
      const ofPods = [...found.keys()].filter((name) => /^(Pod|PersistentVolumeClaim) /.test(name));
      const known = [...Object.keys(facts).flatMap(ours), ...ownObjects, ...ofPods];
      expect([...found.keys()].sort()).toEqual([...new Set(known)].sort());
    });

    it.each(Object.keys(facts))('are what the ecosystem knows, but for what is told: %s', (name) => {
      const [own = ''] = ours(name);
      const expected = exceptions.reduce<Fields>((object, { of, change }) => (of.test(name) ? change(object) : object), facts[name] ?? {});
      const actual = found.get(own) as unknown as Fields;
      expect(actual).toMatchObject(expected);
      // What is not there matches whatever is.
      for (const path of takenAway(facts[name], expected)) expect([path, fieldAt(actual, path)]).toEqual([path, undefined]);
      expect(labelsOf(actual)).toEqual(labelsOf(expected));
      expect(podFields(actual).filter((field) => !ofTheServer.has(field))).toEqual(podFields(expected));
    });

    it('have no exception that makes no difference', () => {
      for (const { why, of, change } of exceptions) {
        const concerned = Object.entries(facts).filter(([each]) => of.test(each));
        expect([why, concerned.length]).not.toEqual([why, 0]);
        for (const [name, object] of concerned) expect([why, name, change(object)]).not.toEqual([why, name, object]);
      }
    });
  });
}

function nameOf(kind: string, { metadata, ...rest }: KubeObject): string {
  if (kind === 'HostnameClaim') return `HostnameClaim of ${(rest as { readonly spec?: { readonly hostname?: string } }).spec?.hostname}`;
  return kind === 'Secret' && metadata?.namespace === 'lease' ? 'Secret of the manifest' : `${kind} ${metadata?.name}`;
}

/** A server gives each namespace its name as a label. */
function labelsOf(object: Fields): unknown {
  const { 'kubernetes.io/metadata.name': _own, ...labels } = ((object['metadata'] as Fields)['labels'] ?? {}) as Fields;
  return labels;
}

/** Where there is something of the one, and nothing of the other. */
function takenAway(before: unknown, after: unknown): readonly (readonly string[])[] {
  if (after === undefined) return [[]];
  const isMatcher = fieldAt(after, ['asymmetricMatch']) !== undefined;
  if (typeof before !== 'object' || before === null || isMatcher) return [];
  return Object.entries(before).flatMap(([field, value]) => takenAway(value, fieldAt(after, [field])).map((path) => [field, ...path]));
}

/** What a server adds to every template of pods. */
const ofTheServer = new Set([
  'restartPolicy',
  'terminationGracePeriodSeconds',
  'dnsPolicy',
  'schedulerName',
  'serviceAccount',
  'containers.terminationMessagePath',
]);

/** Which fields pods and their containers have: none that nobody knows of. */
function podFields(object: Fields): readonly string[] {
  const { containers = [], ...pod } =
    (object as { readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly object[] } } } }).spec?.template
      ?.spec ?? {};
  return [...Object.keys(pod), ...containers.flatMap((each) => Object.keys(each).map((field) => `containers.${field}`))].sort();
}
