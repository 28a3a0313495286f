import { create, toJson } from '@bufbuild/protobuf';
import { StatusSchema } from '@quartermaster/api/akash-provider';
import { describe, expect, it } from 'vitest';
import { activate, bookOf, delta, figures, reserve } from '../../../test/sample-book.ts';
import { a100, claims, Gi, gpus, node, one, plugin, t4 } from '../../../test/sample-facts.ts';
import { sampleRecord } from '../../../test/sample-record.ts';
import { ReservationBook } from '../../book/reservation-book.ts';
import { groupKey } from '../../placement/card-offer.ts';
import type { NodeFacts } from '../../placement/stock-facts.ts';
import { numberedNodes } from './provider-figures.ts';
import { type KnownProvider, providerStatusBody, providerStatusMessage } from './provider-status.ts';

const classes = [
  { name: 'beta3', freeBytes: 500 * Gi },
  { name: 'secret-class', freeBytes: 1, refusal: { code: 'X', message: 'secret' } },
];

function known(changed: Partial<KnownProvider> = {}, nodes: readonly NodeFacts[] = [node('secret-1')]): KnownProvider {
  const book = bookOf(nodes, classes);
  const of = changed.book ?? book;
  return {
    ...{ book: of, leases: [], decisions: [], address: 'farm', publicHost: 'p.example', errors: [], now: 1_000 },
    nodeName: numberedNodes(of),
    ...changed,
  };
}
const inventoryOf = (of: KnownProvider) => providerStatusBody(of).cluster.inventory;
const messageOf = (of: KnownProvider) => create(StatusSchema, providerStatusMessage(of));
const clusterOf = (of: KnownProvider) => messageOf(of).cluster?.inventory?.cluster;

/** One core and one card are leased, and two cores wait to be. */
function busy(): KnownProvider {
  const of = known({}, [node('secret-1', { cards: plugin(4, 4, a100), storageClasses: ['beta3'] }), node('secret-2')]);
  const request = one({ gpus: gpus(1, 'a100'), volumes: [{ kind: 'persistent', name: 'data', class: 'beta3', bytes: 5 * Gi }] });
  activate(of.book, reserve(of.book, 'hush-lease', request));
  reserve(of.book, 'hush-order', one({ count: 2 }));
  return of;
}

describe('the status of a provider', () => {
  it('is the same in both forms: what there is, what is free of it, and what is promised', () => {
    const of = busy();
    const body = providerStatusBody(of);
    const { nodes, storage } = body.cluster.inventory.available;
    expect(nodes.map(({ name }) => name)).toEqual(['machine-1', 'machine-2']);
    expect(nodes[0]?.allocatable).toEqual({ cpu: 16_000, gpu: 4, memory: 64 * Gi, storage_ephemeral: 100 * Gi });
    expect(nodes.reduce((sum, { available }) => sum + available.cpu, 0)).toBe(32_000 - 3_000);
    expect(nodes.reduce((sum, { available }) => sum + available.gpu, 0)).toBe(3);
    expect(storage).toEqual([{ class: 'beta3', size: 495 * Gi }]);
    expect(body.cluster.inventory.active).toEqual([{ cpu: 1000, gpu: 1, memory: Gi, storage_ephemeral: 0, storage: { beta3: 5 * Gi } }]);
    expect(body.cluster.inventory.pending).toEqual([{ cpu: 2000, gpu: 0, memory: 2 * Gi, storage_ephemeral: 0, storage: {} }]);
    expect(body.cluster.inventory).not.toHaveProperty('error');

    expect(toJson(StatusSchema, messageOf(of))).toMatchObject({
      cluster: {
        inventory: {
          cluster: {
            nodes: [
              {
                name: 'machine-1',
                resources: {
                  cpu: { quantity: { allocatable: { string: '16' }, capacity: { string: '16' } } },
                  memory: { quantity: { allocatable: { string: '64Gi' } } },
                  gpu: { quantity: { allocatable: { string: '4' }, allocated: { string: '1' } } },
                  ephemeralStorage: { allocatable: { string: '100Gi' }, allocated: { string: '0' } },
                },
                capabilities: { storageClasses: ['beta3'] },
              },
              { name: 'machine-2' },
            ],
            storage: [{ quantity: { allocatable: { string: '500Gi' }, allocated: { string: '5Gi' } }, info: { class: 'beta3' } }],
          },
          reservations: {
            active: { count: 1, resources: { cpu: { string: '1' }, gpu: { string: '1' }, storage: { beta3: { string: '5Gi' } } } },
            pending: { count: 1, resources: { cpu: { string: '2' }, memory: { string: '2Gi' } } },
          },
        },
      },
      publicHostnames: ['p.example'],
      timestamp: '1970-01-01T00:00:01Z',
    });
  });

  it('counts leases, deployments and orders that are under way', () => {
    const record = (changed: Parameters<typeof sampleRecord>[0]) => sampleRecord({ state: 'Active', manifestHash: 'a', ...changed });
    const lease = { owner: 'amy', dseq: 7n, gseq: 2, oseq: 1, provider: 'farm' };
    const leases = [record({}), record({ lease }), record({ state: 'Pending', manifestHash: undefined }), record({ state: 'Complete' })];
    const decisions = (['Reserved', 'Bid', 'Won', 'Declined', 'Lost'] as const).map((phase) => ({ phase }));
    const of = known({ leases, decisions });
    expect(providerStatusBody(of)).toMatchObject({
      ...{ cluster: { leases: 3 }, bidengine: { orders: 2 }, manifest: { deployments: 1 } },
      ...{ cluster_public_hostname: 'p.example', address: 'farm' },
    });
    expect(messageOf(of)).toMatchObject({ cluster: { leases: { active: 3 } }, bidEngine: { orders: 2 }, manifest: { deployments: 1 } });
  });

  it('lists the cards of a node where they are alike, and else those that nobody has', () => {
    const namesOf = (cards: NodeFacts['cards']): readonly string[] | undefined => {
      const of = known({}, []);
      const shown = figures(node('n', { cards }));
      const allocated = { ...shown.allocated, cards: new Map([[groupKey(a100), 1]]) };
      of.book.takeInventory(delta({ nodes: [{ ...shown, allocated }] }));
      return clusterOf(of)?.nodes[0]?.resources?.gpu?.info.map(({ name, memorySize }) => `${name} ${memorySize}`);
    };
    expect(namesOf(claims([a100, 1, 2]))).toEqual(['a100 80Gi', 'a100 80Gi']);
    expect(namesOf(claims([a100, 1, 2], [t4, 1, 1]))).toEqual(['a100 80Gi', 't4 16Gi']);
  });

  it('leaves out nodes that take nothing new, whose numbers nobody else gets', () => {
    const heldBack = [{ code: 'Unknown', message: 'secret' }];
    const of = known({}, [node('secret-a', { heldBack }), node('secret-b')]);
    expect(clusterOf(of)?.nodes.map(({ name }) => name)).toEqual(['machine-2']);
    expect(clusterOf({ ...of, nodeName: (name) => name })?.nodes.map(({ name }) => name)).toEqual(['secret-b']);
  });

  it('has no figures in place of those that nobody has heard yet, and says so', () => {
    const of = known({ book: new ReservationBook(), errors: ['the market cannot be reached'] });
    const stale = 'the inventory of the cluster is not up to date: nothing new is promised until it is';
    expect(messageOf(of)).toMatchObject({ errors: [stale, 'the market cannot be reached'] });
    expect(clusterOf(of)).toBe(undefined);
    expect(inventoryOf(of)).toMatchObject({ available: { nodes: [], storage: [] }, error: `${stale}; the market cannot be reached` });
  });

  it('tells of leased addresses where somebody says how many there are', () => {
    const of = known();
    expect(messageOf(of).cluster?.inventory?.leasedIp).toBe(undefined);
    of.book.setIpPool({ total: 10, free: 7, byNamespace: new Map(), observedAt: 0 });
    expect(messageOf(of).cluster?.inventory?.leasedIp).toMatchObject({
      ...{ capacity: { string: '10' }, allocatable: { string: '10' }, allocated: { string: '3' } },
    });
  });

  it('names no owner, no lease and no machine', () => {
    const of = busy();
    of.book.setKnowledge({ protocol: 'deltas', problem: { code: 'InventoryStale', message: 'secret-1 of 10.0.0.1 is silent' } });
    const told = JSON.stringify([providerStatusBody(of), toJson(StatusSchema, messageOf(of))]);
    expect(told).not.toMatch(/secret|hush|alice|10\.0|uid/);
    expect(told).toContain('not up to date');
  });
});
