import { describe, expect, it } from 'vitest';
import { knowledge, testGpu } from '../../../test/ledger-fixtures.ts';
import type { ObservedDevice } from '../../model/observed.ts';
import { nodeResources } from '../amounts/node-resources.ts';
import { cardPools, type GpuInputs, isWithheld } from './gpu-cards.ts';

const mig = { enabled: true, instances: [] };

const device = (more: Partial<ObservedDevice> = {}): ObservedDevice => ({
  node: 'n1',
  driver: 'gpu.nvidia.com',
  pool: 'n1',
  device: 'gpu-0',
  attributes: { type: 'gpu', productName: 'NVIDIA H100 80GB HBM3' },
  taints: [],
  ...more,
});

function poolsOf(counts: Readonly<Record<string, string>>, more: Partial<GpuInputs> = {}, labels: Readonly<Record<string, string>> = {}) {
  const resources = nodeResources({ capacity: counts, allocatable: counts });
  return cardPools({ node: { name: 'n1', labels }, resources, gpus: [], devices: [], knowledge, ...more });
}

describe('a resource that stands for parts of cards', () => {
  it.each([
    ['time slices', { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB-SHARED' }],
    ['replicas', { 'nvidia.com/gpu.replicas': '4' }],
    ['one kind of MIG slices', { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB-MIG-1g.10gb' }],
  ])('is known by the labels of NVIDIA: %s', (_what, labels) => {
    expect(poolsOf({ 'nvidia.com/gpu': '7' }, { gpus: [testGpu(0)] }, labels)).toMatchObject([{ isDivided: true }]);
  });

  it('is known by the cards where nobody labelled the node: all of them are cut into slices, and something is offered', () => {
    const cut = [testGpu(0, '2330', { mig }), testGpu(1, '2330', { mig })];
    expect(poolsOf({ 'nvidia.com/gpu': '14' }, { gpus: cut })).toMatchObject([{ isDivided: true }]);
    expect(poolsOf({ 'nvidia.com/gpu': '1' }, { gpus: [testGpu(0, '2330', { mig }), testGpu(1)] })).toMatchObject([{ isDivided: false }]);
    expect(poolsOf({ 'nvidia.com/mig-1g.10gb': '14' }, { gpus: cut })).toMatchObject([{ isDivided: false }]);
  });

  it.each([
    ['CPX_NPS4', true],
    ['dpx_nps1', true],
    ['SPX_NPS1', false],
    ['', false],
  ])('is known by the partition of AMD cards: %s', (partition, isDivided) => {
    const labels = { 'amd.com/gpu.compute-memory-partition': partition };
    expect(poolsOf({ 'amd.com/gpu': '8' }, {}, labels)).toMatchObject([{ isDivided }]);
  });
});

describe('a card that only a driver of dynamic resource allocation tells of', () => {
  it('is called by its UUID, or by its place in the pool where it has none', () => {
    const named = device({ attributes: { type: 'gpu', uuid: 'GPU-7' } });
    const ids = poolsOf({}, { devices: [named, device({ device: 'gpu-1' })] }).flatMap(({ cards }) => cards.map(({ id }) => id));
    expect(ids).toEqual(['GPU-7', 'n1/gpu-1']);
  });

  it('is not to be had while its pool is incomplete, and says whom to ask', () => {
    const half = device({ isPoolIncomplete: true });
    const [card] = poolsOf({}, { devices: [half] })[0]?.cards ?? [];
    expect(card).toMatchObject({ health: 'unhealthy', reason: { code: 'PoolIncomplete' } });
    expect(card?.reason?.message).toContain('gpu.nvidia.com');
    expect([isWithheld(half), isWithheld(device())]).toEqual([true, false]);
  });

  it('is taken by a claim that is reserved for nobody yet', () => {
    expect(poolsOf({}, { devices: [device({ isTaken: true })] })[0]?.cards).toMatchObject([{ isClaimed: true }]);
  });
});
