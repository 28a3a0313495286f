import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseGpuDatabase, shippedGpuDatabase } from './gpu-database.ts';
import { type CardFacts, type GpuSources, identifyGpu } from './identify-gpu.ts';
import { completedModel } from './known-sisters.ts';
import { interfaceName, modelName } from './model-name.ts';
import { parsePciIds } from './pci-ids.ts';

const gi = 2 ** 30;
const mi = 2 ** 20;
const empty = { overrides: new Map(), database: new Map(), pciNames: new Map(), nodeLabels: {}, isMixed: false };
const sources = (more: Partial<GpuSources> = {}): GpuSources => ({ ...empty, ...more });
const card = (more: Partial<CardFacts> = {}): CardFacts => ({ vendorId: '10de', productId: '2d99', ...more });

describe('identifyGpu', () => {
  const overrides = parseGpuDatabase(
    '{"10de":{"name":"nvidia","devices":{"2d99":{"name":"mine","interface":"PCIe","memory_size":"16Gi"}}}}',
  );
  const database = parseGpuDatabase(
    '{"10de":{"name":"nvidia","devices":{"2d99":{"name":"theirs","interface":"SXM5","memory_size":"80Gi"}}}}',
  );
  const pciNames = parsePciIds('10de  NVIDIA Corporation\n\t2d99  GB206 [GeForce RTX 9990 Ti]\n\t\t10de 0001  a subsystem\n');
  const nodeLabels = { 'nvidia.com/gpu.product': 'NVIDIA-RTX-5555-Ada-Generation' };
  const driver = { name: 'NVIDIA GeForce RTX 7777 SUPER', memoryBytes: 24564 * mi };

  it('asks its sources in the order of trust', () => {
    const all = sources({ overrides, database, nodeLabels, pciNames });
    const found = [
      identifyGpu(card(driver), all),
      identifyGpu(card(driver), { ...all, overrides: new Map() }),
      identifyGpu(card(driver), sources({ nodeLabels, pciNames })),
      identifyGpu(card(), sources({ nodeLabels, pciNames })),
      identifyGpu(card(), sources({ pciNames })),
      identifyGpu(card(), sources()),
    ];
    expect(found.map(({ model, identifiedBy }) => [model, identifiedBy])).toEqual([
      ['mine', 'override'],
      ['theirs', 'database'],
      ['rtx7777s', 'driver'],
      ['rtx5555ada', 'labels'],
      ['rtx9990ti', 'pci-ids'],
      ['unknown-10de-2d99', 'unknown'],
    ]);
    expect(found.every(({ vendor }) => vendor === 'nvidia')).toBe(true);
  });

  it('takes memory and interface from the driver where the source has none, in whole Gi', () => {
    expect(identifyGpu(card({ name: 'NVIDIA A999-SXM4-80GB', memoryBytes: 81920 * mi - 1 }), sources())).toMatchObject({
      model: 'a999',
      interface: 'SXM4',
      memoryBytes: 80 * gi,
    });
    expect(identifyGpu(card(driver), sources({ database })).memoryBytes).toBe(80 * gi);
  });

  /** As GPU Feature Discovery labels nodes: the product, MiB, family, compute capability. */
  const gfd = (product: string, mebibytes: string, family = '', capability = '') => {
    const [major = '', minor = ''] = capability.split('.');
    return {
      'nvidia.com/gpu.product': product,
      'nvidia.com/gpu.memory': mebibytes,
      'nvidia.com/gpu.family': family,
      'nvidia.com/gpu.compute.major': major,
      'nvidia.com/gpu.compute.minor': minor,
    };
  };

  it.each([
    ['NVIDIA-H100-80GB-HBM3', '81559', 'h100', 'SXM5', 80],
    ['NVIDIA-H100-PCIe', '81559', 'h100', 'PCIe', 80],
    ['NVIDIA-H200', '143771', 'h200', 'SXM5', 141],
    ['NVIDIA-B200', '183359', 'b200', 'SXM6', 180],
    ['NVIDIA-A100-SXM4-80GB', '81920', 'a100', 'SXM4', 80],
    ['NVIDIA-A100-SXM4-40GB', '40960', 'a100', 'SXM4', 40],
    ['NVIDIA-A100-80GB-PCIe-SHARED', '81920', 'a100', 'PCIe', 80],
    ['NVIDIA-A100-SXM4-80GB-MIG-1g.10gb', '9728', 'a100', 'SXM4', 80],
    ['NVIDIA-A100-SXM4-80GB', '', 'a100', 'SXM4', 80],
    ['Tesla-V100-SXM2-32GB', '32768', 'v100', 'SXM2', 32],
    ['NVIDIA-L40S', '46068', 'l40s', 'PCIe', 48],
    ['NVIDIA-L40S', '', 'l40s', 'PCIe', 48],
    ['Tesla-T4', '15360', 't4', 'PCIe', 16],
    ['NVIDIA-GeForce-RTX-4090', '24564', 'rtx4090', 'PCIe', 24],
    ['NVIDIA-GH200-480GB', '97871', 'gh200', 'SXM5', 96],
    ['NVIDIA-GH200-480GB', 'many', 'gh200', 'SXM5', 0],
    ['NVIDIA-X999-SXM7-320GB', '', 'x999', 'SXM7', 320],
  ])('takes %s with %s MiB by the labels of a node without an agent for %s %s of %s Gi', (product, memory, model, form, gibibytes) => {
    const labelled = sources({ database: shippedGpuDatabase(), nodeLabels: gfd(product, memory) });
    expect(identifyGpu({ vendorId: '10de', productId: '' }, labelled)).toMatchObject({
      model,
      interface: form,
      memoryBytes: gibibytes * gi,
      identifiedBy: 'labels',
    });
  });

  it('knows architecture and compute capability by labels, by the driver, and one by the other', () => {
    const traits = (facts: Partial<CardFacts>, labels: GpuSources['nodeLabels'] = {}) => {
      const { architecture, computeCapability } = identifyGpu(card(facts), sources({ nodeLabels: labels }));
      return [architecture, computeCapability];
    };
    expect(traits({}, gfd('NVIDIA-L4', '23034', 'ada-lovelace', '8.9'))).toEqual(['ada-lovelace', '8.9']);
    expect(traits({ computeCapability: '9.0' }, gfd('NVIDIA-L4', '23034', '', '8.9'))).toEqual(['hopper', '9.0']);
    expect(traits({ computeCapability: '12.0' })).toEqual(['blackwell', '12.0']);
    expect(traits({ computeCapability: '99.0' })).toEqual([undefined, '99.0']);
    expect(traits({}, gfd('NVIDIA-L4', '23034', '<script>', '8.x'))).toEqual([undefined, undefined]);
  });

  it('knows the slices that cards are cut into by labels, under names of their own or in place of cards', () => {
    const slices = (labels: GpuSources['nodeLabels']) => identifyGpu(card(), sources({ nodeLabels: labels })).migProfiles;
    const mixed = { 'nvidia.com/mig-3g.40gb.count': '1', 'nvidia.com/mig-1g.10gb.me.count': '2', 'nvidia.com/mig-7g.80gb.count': '0' };
    expect(slices({ ...gfd('NVIDIA-H100-80GB-HBM3', '81559'), ...mixed })).toEqual(['1g.10gb.me', '3g.40gb']);
    expect(slices(gfd('NVIDIA-A100-SXM4-40GB-MIG-1g.5gb', '4864'))).toEqual(['1g.5gb']);
    expect(slices(gfd('NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED', '4864'))).toEqual(['1g.5gb']);
    expect(slices(gfd('NVIDIA-A100-SXM4-40GB', '40960'))).toBeUndefined();
  });

  it("knows AMD's cards by the product id among their labels", () => {
    const labels = { 'amd.com/gpu.device-id': '74a1', 'amd.com/gpu.vram': '192G', 'amd.com/gpu.product-name': 'AMD_Instinct_MI300X_OAM' };
    const found = (known: GpuSources['database']) =>
      identifyGpu({ vendorId: '1002', productId: '' }, sources({ database: known, nodeLabels: labels }));
    expect(found(shippedGpuDatabase())).toMatchObject({ model: 'mi300x', identifiedBy: 'database', memoryBytes: 192 * gi });
    expect(found(new Map())).toMatchObject({ model: 'mi300x', identifiedBy: 'labels', interface: 'OAM', memoryBytes: 192 * gi });
  });

  it('never says less memory than a driver tells, nor a sixth more, and only sizes that the database or the driver knows', () => {
    const known = [...(shippedGpuDatabase().get('10de')?.devices.values() ?? [])];
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.double({ min: 0.87, max: 1, noNaN: true }), ({ name, memoryBytes }, share) => {
        const told = Math.floor(memoryBytes * share);
        const found = completedModel({ name, interface: '', memoryBytes: told }, 0, known);
        expect(found.memoryBytes).toBeGreaterThanOrEqual(told * 0.995);
        expect(found.memoryBytes).toBeLessThanOrEqual(Math.ceil(told / gi / 0.86) * gi);
      }),
    );
  });

  it('does not believe labels of a node whose cards differ', () => {
    expect(identifyGpu(card(), sources({ nodeLabels, isMixed: true })).model).toBe('unknown-10de-2d99');
  });

  it('names a card of which only the vendor is known', () => {
    expect(identifyGpu({ vendorId: '10de', productId: '' }, sources())).toMatchObject({ vendor: 'nvidia', model: 'unknown-10de' });
    expect(identifyGpu({ vendorId: '1ed5', productId: '0222' }, sources())).toMatchObject({ vendor: '1ed5', model: 'unknown-1ed5-0222' });
  });

  it('identifies every card somehow, with a name that is fit for a label', () => {
    const hex = fc.stringMatching(/^[0-9a-f]{4}$/);
    fc.assert(
      fc.property(hex, hex, fc.string(), fc.string(), (vendorId, productId, name, label) => {
        const found = identifyGpu(
          { vendorId, productId, name },
          sources({ database: shippedGpuDatabase(), nodeLabels: { 'nvidia.com/gpu.product': label } }),
        );
        expect(found.model).toMatch(/^[a-z0-9]([-a-z0-9._]*[a-z0-9])?$/);
        expect(found.memoryBytes).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('modelName', () => {
  it.each([
    ['NVIDIA GeForce RTX 4090', 'rtx4090'],
    ['NVIDIA GeForce RTX 4080 SUPER', 'rtx4080s'],
    ['NVIDIA GeForce RTX 3060 Laptop GPU', 'rtx3060m'],
    ['NVIDIA GeForce GTX 1080 Ti', 'gtx1080ti'],
    ['NVIDIA H100 80GB HBM3', 'h100'],
    ['NVIDIA H100 PCIe', 'h100'],
    ['NVIDIA H100 NVL', 'h100nvl'],
    ['NVIDIA H200', 'h200'],
    ['NVIDIA A100-SXM4-80GB', 'a100'],
    ['NVIDIA A100 80GB PCIe', 'a100'],
    ['NVIDIA-A100-SXM4-40GB-MIG-1g.5gb', 'a100'],
    ['Tesla-T4-SHARED', 't4'],
    ['Tesla V100-SXM2-16GB', 'v100'],
    ['NVIDIA GH200 480GB', 'gh200'],
    ['NVIDIA RTX A6000', 'rtxa6000'],
    ['NVIDIA RTX 6000 Ada Generation', 'rtx6000ada'],
    ['Quadro RTX 8000', 'rtx8000'],
    ['NVIDIA RTX PRO 6000 Blackwell Server Edition', 'pro6000se'],
    ['NVIDIA RTX PRO 6000 Blackwell Workstation Edition', 'pro6000we'],
    ['NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition', 'pro6000mq'],
    ['AMD Instinct MI300X OAM', 'mi300x'],
    ['AMD Instinct MI210', 'mi210'],
    ['AMD Radeon PRO W7900', 'w7900'],
    ['Navi 31 [Radeon RX 7900 XT]', 'rx7900xt'],
    ['Aqua Vanjaram [Instinct MI300X]', 'mi300x'],
    ['GPU', ''],
    ['', ''],
  ])('%s is %s', (product, model) => {
    expect(modelName(product)).toBe(model);
  });
});

describe('interfaceName', () => {
  it.each([
    ['NVIDIA A100-SXM4-80GB', 'SXM4'],
    ['NVIDIA H100 PCIe', 'PCIe'],
    ['AMD Instinct MI300X OAM', 'OAM'],
    ['NVIDIA-H200', 'SXM'],
    ['NVIDIA-H100-80GB-HBM3', 'SXM'],
    ['NVIDIA-H100-NVL', 'PCIe'],
    ['NVIDIA-L40S', ''],
  ])('%s has %s', (product, form) => {
    expect(interfaceName(product)).toBe(form);
  });
});

describe('parsePciIds', () => {
  it('keeps the products of GPU vendors and steps over everything else', () => {
    const names = parsePciIds(
      '# comment\n8086  Intel Corporation\n\t56c0  ATS-M [Data Center GPU Flex 170]\n15b3  Mellanox\n\t1021  ConnectX-7\nC 03  Display controller\n\t0000  VGA\n',
    );
    expect([...names]).toEqual([['8086:56c0', 'ATS-M [Data Center GPU Flex 170]']]);
  });

  it('never fails, whatever the text', () => {
    fc.assert(fc.property(fc.string(), (text) => parsePciIds(text).size >= 0));
  });
});
