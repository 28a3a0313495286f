import type { DeviceHolder, GpuFacts } from '@quartermaster/api/node-hardware';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gi, knowledge, testGpu, testHardware, testNode, testPod } from '../../../test/ledger-fixtures.ts';
import { planLabels } from '../../labels/node-labels.ts';
import type { NodeInventory } from '../../model/node-inventory.ts';
import { type ClaimView, observeDevices } from '../../observe/observe-devices.ts';
import { InventoryLedger } from '../inventory-ledger.ts';
import { countTogether } from './device-facts.ts';

const driver = 'gpu.nvidia.com';
const places = [0, 1, 2, 3, 4, 5, 6];

interface Given {
  readonly counts?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly gpus?: readonly GpuFacts[];
  readonly held?: readonly (readonly [resource: string, deviceId: string, pod: string])[];
}

function ledgerOf({ counts = {}, labels = {}, gpus, held = [] }: Given): InventoryLedger {
  const ledger = new InventoryLedger(knowledge);
  ledger.setNode(testNode('n1', counts, { labels }), 0);
  const devices = held.map(
    ([resource, deviceId, pod]): DeviceHolder => ({ resource, deviceId, namespace: 'lease-1', pod, container: 'c' }),
  );
  if (gpus !== undefined) ledger.setHardware('n1', testHardware(gpus), { devices }, 0);
  for (const [resource, , pod] of held) ledger.setPod(testPod(pod, 'n1', { extended: { [resource]: 1 } }), 0);
  return ledger;
}

function viewOf(ledger: InventoryLedger): NodeInventory {
  const view = ledger.nodeView('n1');
  if (view === undefined) throw new Error('the node is known');
  return view;
}

const partsOf = (view: NodeInventory) =>
  view.devices.flatMap(({ parts = [] }) => parts.map(({ id, kind, profile, holder }) => [id, kind, profile, holder?.pod]));
const amounts = (view: NodeInventory) => view.gpus.map(({ model, amount }) => [model, amount.capacity, amount.allocated, amount.available]);

describe('slices of cards', () => {
  const mig: GpuFacts['mig'] = {
    enabled: true,
    instances: [
      { uuid: 'MIG-a', profile: '1g.10gb', memoryBytes: 10 * gi },
      { uuid: 'MIG-b', profile: '2g.20gb', memoryBytes: 20 * gi },
    ],
  };

  it('are devices with holders, by the word of the kubelet', () => {
    const ledger = ledgerOf({
      counts: { 'nvidia.com/gpu': '1', 'nvidia.com/mig-1g.10gb': '1', 'nvidia.com/mig-2g.20gb': '1' },
      gpus: [testGpu(0, '2330', { mig }), testGpu(1)],
      held: [
        ['nvidia.com/mig-1g.10gb', 'MIG-a', 'small'],
        ['nvidia.com/gpu', 'GPU-1', 'large'],
      ],
    });
    const view = viewOf(ledger);
    expect(partsOf(view)).toEqual([
      ['MIG-a', 'mig', '1g.10gb', 'small'],
      ['MIG-b', 'mig', '2g.20gb', undefined],
    ]);
    expect(view.devices.map(({ id, holder }) => [id, holder?.pod])).toEqual([
      ['GPU-0', undefined],
      ['GPU-1', 'large'],
    ]);
    expect(ledger.allocations({ device: 'MIG-a' })).toMatchObject([{ pod: 'small', devices: ['MIG-a'] }]);
    expect(amounts(view)).toEqual([['h100', 2, 1, 0]]);
  });

  it('that are shared in turn have a holder for each share', () => {
    const view = viewOf(
      ledgerOf({
        counts: { 'nvidia.com/mig-1g.10gb': '4' },
        gpus: [testGpu(0, '2330', { mig: { enabled: true, instances: [{ uuid: 'MIG-a', profile: '1g.10gb' }] } })],
        held: [
          ['nvidia.com/mig-1g.10gb', 'MIG-a::0', 'one'],
          ['nvidia.com/mig-1g.10gb', 'MIG-a::3', 'two'],
        ],
      }),
    );
    expect(partsOf(view)).toEqual([
      ['MIG-a::0', 'mig', '1g.10gb', 'one'],
      ['MIG-a::3', 'mig', '1g.10gb', 'two'],
    ]);
  });

  it('of time are devices with holders, and show that no whole card is sold, whether or not a label says so', () => {
    const view = viewOf(
      ledgerOf({
        counts: { 'nvidia.com/gpu': '8' },
        gpus: [testGpu(0), testGpu(1)],
        held: [
          ['nvidia.com/gpu', 'GPU-0::0', 'one'],
          ['nvidia.com/gpu', 'GPU-0::2', 'two'],
          ['nvidia.com/gpu', 'GPU-1::0', 'three'],
        ],
      }),
    );
    expect(partsOf(view)).toEqual([
      ['GPU-0::0', 'share', '', 'one'],
      ['GPU-0::2', 'share', '', 'two'],
      ['GPU-1::0', 'share', '', 'three'],
    ]);
    expect(amounts(view)).toEqual([['h100', 2, 0, 0]]);
    expect(view.extended.get('nvidia.com/gpu')).toMatchObject({ capacity: 8, allocated: 3, available: 5 });
    expect(view.conditions.map(({ code }) => code)).toEqual(['GpuDivided']);
  });

  it.each([
    ['every card', [testGpu(0), testGpu(1)]],
    ['a card less than there are', [testGpu(0)]],
  ])('of time show by their number, before anybody holds one, where the agent finds %s', (_what, gpus) => {
    const view = viewOf(ledgerOf({ counts: { 'nvidia.com/gpu': '4' }, gpus }));
    expect(amounts(view)).toEqual([['h100', gpus.length, 0, 0]]);
    expect(view.extended.get('nvidia.com/gpu')).toMatchObject({ capacity: 4, available: 4 });
    expect(view.conditions).toMatchObject([{ code: 'GpuDivided', message: expect.stringContaining('counts 4') }]);
  });

  it('are no slices when a pod holds a whole card by the same name, whatever their number', () => {
    const held = [['nvidia.com/gpu', 'GPU-0', 'large']] as const;
    const view = viewOf(ledgerOf({ counts: { 'nvidia.com/gpu': '4' }, gpus: [testGpu(0), testGpu(1)], held }));
    expect(amounts(view)).toEqual([['h100', 2, 1, 1]]);
    expect(view.conditions.map(({ code }) => code)).toEqual(['GpuCountDiffers']);
  });
});

describe('without an agent, slices are not cards', () => {
  const product = (suffix: string) => ({ 'nvidia.com/gpu.product': `NVIDIA-H100-80GB-HBM3${suffix}` });
  const h100 = 'akash.network/capabilities.gpu.vendor.nvidia.model.h100';
  const counted = (counts: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>) => {
    const view = viewOf(ledgerOf({ counts, labels }));
    return [amounts(view), planLabels(view, {}).desired[h100]];
  };

  it.each([
    ['the label that counts cards', { 'nvidia.com/gpu': '8' }, { ...product('-SHARED'), 'nvidia.com/gpu.count': '2' }, 2],
    ['the number of shares of each', { 'nvidia.com/gpu': '8' }, { ...product(''), 'nvidia.com/gpu.replicas': '4' }, 2],
    ['the label, under another name', { 'nvidia.com/gpu.shared': '8' }, { ...product(''), 'nvidia.com/gpu.count': '2' }, 2],
  ])('cards behind shares are counted by %s', (_what, counts, labels, cards) => {
    expect(counted(counts, labels)).toEqual([[['h100', cards, 0, 0]], String(cards)]);
  });

  it.each([
    [
      'MIG slices, which the label counts in the place of cards',
      { 'nvidia.com/gpu': '14' },
      { ...product('-MIG-1g.10gb'), 'nvidia.com/gpu.count': '14' },
    ],
    ['shares of which nobody says how many make a card', { 'nvidia.com/gpu': '8' }, product('-SHARED')],
    ['MIG slices under their own names', { 'nvidia.com/mig-1g.10gb': '14' }, product('')],
  ])('no card is counted for %s', (_what, counts, labels) => {
    expect(counted(counts, labels)).toEqual([[], undefined]);
    const [resource = ''] = Object.keys(counts);
    expect(viewOf(ledgerOf({ counts, labels })).extended.get(resource)?.capacity).toBe(Number(Object.values(counts)[0]));
  });
});

describe('devices that draw on the same counters', () => {
  const counter = (names: readonly number[]) => Object.fromEntries(names.map((place) => [`place-${place}`, { value: '1' }]));
  const set = 'gpu-0-counters';
  const device = (name: string, type: string, of: readonly number[], more: object = {}) => ({
    name,
    attributes: { type: { string: type }, productName: { string: 'NVIDIA H100 80GB HBM3' }, ...more },
    capacity: { memory: { value: '80Gi' } },
    consumesCounters: [{ counterSet: set, counters: counter(of) }],
  });
  const small = (place: number) => device(`gpu-0-mig-1g-${place}`, 'mig', [place], { profile: { string: '1g.10gb' } });
  const half = (place: number) => device(`gpu-0-mig-3g-${place}`, 'mig', [place, place + 1, place + 2], { profile: { string: '3g.40gb' } });
  const slice = {
    spec: {
      driver,
      nodeName: 'n1',
      pool: { name: 'n1', generation: 1, resourceSliceCount: 1 },
      sharedCounters: [{ name: set, counters: counter(places) }],
      devices: [device('gpu-0', 'gpu', places, { uuid: { string: 'GPU-0' } }), ...places.map(small), half(0), half(4)],
    },
  };
  const claim = (name: string, of: string, ...pods: string[]): ClaimView => ({
    metadata: { namespace: 'lease-1', name },
    status: {
      allocation: { devices: { results: [{ driver, pool: 'n1', device: of }] } },
      reservedFor: pods.map((pod) => ({ resource: 'pods', name: pod, uid: pod })),
    },
  });
  const viewWith = (...claims: ClaimView[]): NodeInventory => {
    const ledger = ledgerOf({});
    ledger.setDevices('n1', observeDevices([slice], claims).get('n1') ?? [], 0);
    return viewOf(ledger);
  };
  const slices = ({ extended }: NodeInventory) =>
    ['1g.10gb', '3g.40gb'].map((profile) => {
      const { capacity, allocated, available } = extended.get(`${driver}/${profile}`) ?? {};
      return [capacity, allocated, available];
    });

  it('are all to be had while nobody has one, each as often as fits at the same time', () => {
    expect(amounts(viewWith())).toEqual([['h100', 1, 0, 1]]);
    expect(slices(viewWith())).toEqual([
      [7, 0, 7],
      [2, 0, 2],
    ]);
    expect(partsOf(viewWith())).toEqual([]);
  });

  it('a card of which one slice is taken is not free, and says who has the slice', () => {
    const view = viewWith(claim('c', 'gpu-0-mig-1g-1', 'small'));
    expect(amounts(view)).toEqual([['h100', 1, 0, 0]]);
    expect(slices(view)).toEqual([
      [7, 1, 6],
      [2, 0, 1],
    ]);
    expect(view.devices.map(({ id, holder }) => [id, holder])).toEqual([['GPU-0', undefined]]);
    expect(partsOf(view)).toEqual([['n1/gpu-0-mig-1g-1', 'mig', '1g.10gb', 'small']]);
  });

  it('of a card that is taken as a whole no slice is to be had', () => {
    const view = viewWith(claim('c', 'gpu-0', 'large'));
    expect(amounts(view)).toEqual([['h100', 1, 1, 0]]);
    expect(view.devices[0]?.holder).toMatchObject({ pod: 'large', source: 'claim' });
    expect(slices(view)).toEqual([
      [7, 0, 0],
      [2, 0, 0],
    ]);
  });

  it('a claim that several pods share makes them all holders', () => {
    const view = viewWith(claim('c', 'gpu-0', 'one', 'two'));
    expect(amounts(view)).toEqual([['h100', 1, 1, 0]]);
    expect(view.devices[0]?.holder?.pod).toBe('one');
    expect(partsOf(view).map(([, kind, , pod]) => [kind, pod])).toEqual([
      ['share', 'one'],
      ['share', 'two'],
    ]);
  });

  it('never have more of one kind to be had than counters are left for, whatever is claimed', () => {
    const names = slice.spec.devices.map(({ name }) => name);
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...names), { maxLength: 5 }), (wanted) => {
        // As the scheduler would: in turn, while there is room.
        const claims: ClaimView[] = [];
        for (const name of wanted) {
          const free = observeDevices([slice], claims)
            .get('n1')
            ?.find((each) => each.device === name);
          if (free?.counters?.every(({ need, left }) => need <= left) === true) claims.push(claim(name, name, name));
        }
        const devices = observeDevices([slice], claims).get('n1') ?? [];
        const taken = new Set(devices.filter(({ isTaken }) => isTaken).flatMap(({ counters = [] }) => counters.map(({ name }) => name)));
        for (const size of [1, 3]) {
          const open = devices.filter(({ counters = [], isTaken }) => isTaken !== true && counters.length === size);
          expect(countTogether(open, 'left') * size).toBeLessThanOrEqual(places.length - taken.size);
        }
        const [card] = amounts(viewWith(...claims));
        expect(card).toEqual(['h100', 1, claims[0]?.metadata?.name === 'gpu-0' ? 1 : 0, taken.size > 0 ? 0 : 1]);
      }),
    );
  });
});

describe('a card of which a driver publishes the slices alone', () => {
  it('is one card that nobody can have as a whole', () => {
    const device = (index: number) => ({
      name: `mig-${index}`,
      attributes: {
        type: { string: 'mig' },
        uuid: { string: `MIG-${index}` },
        parentUUID: { string: 'GPU-0' },
        profile: { string: '1g.10gb' },
        productName: { string: 'NVIDIA H100 80GB HBM3' },
      },
    });
    const pool = { name: 'n1', generation: 1, resourceSliceCount: 1 };
    const spec = { driver, nodeName: 'n1', pool, devices: [device(0), device(1)] };
    const ledger = ledgerOf({});
    ledger.setDevices('n1', observeDevices([{ spec }], []).get('n1') ?? [], 0);
    const view = viewOf(ledger);
    expect(amounts(view)).toEqual([['h100', 1, 0, 0]]);
    expect(partsOf(view)).toEqual([
      ['MIG-0', 'mig', '1g.10gb', undefined],
      ['MIG-1', 'mig', '1g.10gb', undefined],
    ]);
    expect(view.extended.get(`${driver}/1g.10gb`)).toMatchObject({ capacity: 2, available: 2 });
  });
});
