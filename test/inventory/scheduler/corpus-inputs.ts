import { seededRandom } from '@quartermaster/kernel';
import type { Amounts, CorpusContainer, CorpusContainerStatus, CorpusEntry, CorpusSpec, CorpusStatus } from './corpus-pod.ts';

type CorpusInput = Omit<CorpusEntry, 'counted'>;

const image = 'registry.invalid/corpus';
const container = (name: string, requests?: Amounts, limits?: Amounts): CorpusContainer =>
  requests === undefined && limits === undefined
    ? { name, image }
    : { name, image, resources: { ...(requests === undefined ? {} : { requests }), ...(limits === undefined ? {} : { limits }) } };
const sidecar = (name: string, requests: Amounts): CorpusContainer => ({ ...container(name, requests), restartPolicy: 'Always' });
/** Devices and huge pages cannot be shared: limit and request are one. */
const exclusive = (name: string, amounts: Amounts, more: Amounts = {}): CorpusContainer =>
  container(name, { ...amounts, ...more }, amounts);
const input = (name: string, spec: CorpusSpec, status?: CorpusStatus): CorpusInput =>
  status === undefined ? { name, spec } : { name, spec, status };
const one = (name: string, ...containers: readonly CorpusContainer[]): CorpusInput => input(name, { containers });

const cpuTexts = ['0', '1m', '100m', '250m', '0.1', '0.25', '1', '1.5', '2', '64', '1500m', '1e1', '0.001', '2k'];
const memoryTexts = ['0', '1', '1Ki', '64Mi', '1Gi', '1.5Gi', '128M', '1G', '1e9', '123456789', '0.5Gi', '1500m', '3Ti', '4096k', '1e3'];

function* quantities(): Generator<CorpusInput> {
  for (const [i, cpu] of cpuTexts.entries()) yield one(`cpu-${i}`, container('a', { cpu }));
  for (const [i, memory] of memoryTexts.entries()) yield one(`memory-${i}`, container('a', { memory }));
  for (const [i, cpu] of cpuTexts.entries()) {
    const memory = memoryTexts[i] ?? '1Mi';
    yield one(`sum-${i}`, container('a', { cpu, memory }), container('b', { cpu: '333m', memory: '77Mi' }), container('c'));
  }
  for (const [i, storage] of ['1', '1Gi', '500M', '1.5Gi', '1500m', '10G'].entries()) {
    yield one(
      `storage-${i}`,
      container('a', { 'ephemeral-storage': storage }),
      container('b', { 'ephemeral-storage': '100Mi', cpu: '10m' }),
    );
  }
}

function* withLimits(): Generator<CorpusInput> {
  const all = { cpu: '2', memory: '2Gi', 'ephemeral-storage': '4Gi' };
  yield one('limits-alone', container('a', undefined, all));
  yield one('limits-cpu-alone', container('a', undefined, { cpu: '750m' }));
  yield one('limits-memory-alone', container('a', undefined, { memory: '1Gi' }));
  yield one('limits-above-requests', container('a', { cpu: '1', memory: '1Gi' }, all));
  yield one('limits-equal-requests', container('a', all, all));
  yield one('limits-of-others', container('a', { cpu: '1' }, { memory: '3Gi' }));
  yield one('limits-and-none', container('a', undefined, all), container('b'));
  yield one('limits-and-requests', container('a', undefined, all), container('b', { cpu: '300m' }));
  const ofInit = { containers: [container('a', { cpu: '1' })], initContainers: [container('i', undefined, { cpu: '3', memory: '1Gi' })] };
  yield input('limits-of-init', ofInit);
  const ofSidecar: CorpusContainer = { ...container('s', undefined, { cpu: '300m', memory: '64Mi' }), restartPolicy: 'Always' };
  yield input('limits-of-sidecar', { containers: [container('a', undefined, all)], initContainers: [ofSidecar] });
}

function* inits(): Generator<CorpusInput> {
  const places = ['none', 'before', 'after', 'both'] as const;
  for (const init of ['500m', '2', '5']) {
    for (const place of places) {
      for (const apps of [1, 2]) {
        const before = place === 'before' || place === 'both' ? [sidecar('first', { cpu: '700m', memory: '10Mi' })] : [];
        const after = place === 'after' || place === 'both' ? [sidecar('last', { cpu: '900m', 'ephemeral-storage': '1Gi' })] : [];
        const initContainers = [...before, container('init', { cpu: init, memory: '300Mi' }), ...after];
        const containers = Array.from({ length: apps }, (_, i) => container(`app-${i}`, { cpu: '1', memory: '100Mi' }));
        yield input(`init-${init}-${place}-${apps}`, { containers, initContainers });
      }
    }
  }
  const several = ['1', '4', '2'].map((cpu, i) => container(`init-${i}`, { cpu, memory: `${i + 1}Gi` }));
  yield input('inits-largest-of-each', { containers: [container('a', { cpu: '3' })], initContainers: several });
  const sidecars = ['1', '2', '3'].map((cpu, i) => sidecar(`side-${i}`, { cpu }));
  yield input('sidecars-alone', { containers: [container('a')], initContainers: sidecars });
  const mixed = sidecars.flatMap((each, i) => [each, container(`init-${i}`, { cpu: `${4 - i}` })]);
  yield input('sidecars-and-inits-in-turn', { containers: [container('a', { cpu: '1' })], initContainers: mixed });
}

function* overheads(): Generator<CorpusInput> {
  for (const runtimeClassName of ['small', 'large']) {
    const shapes: Readonly<Record<string, CorpusSpec>> = {
      'best-effort': { containers: [container('a')] },
      plain: { containers: [container('a', { cpu: '1', memory: '1Gi' })] },
      limits: { containers: [container('a', undefined, { cpu: '1', memory: '1Gi' })] },
      init: { containers: [container('a', { cpu: '1' })], initContainers: [container('i', { cpu: '3', memory: '2Gi' })] },
      sidecar: { containers: [container('a', { cpu: '1' })], initContainers: [sidecar('s', { cpu: '200m', memory: '1Mi' })] },
      'pod-level': { containers: [container('a', { cpu: '1' })], resources: { requests: { cpu: '2', memory: '2Gi' } } },
      gpu: { containers: [exclusive('a', { 'nvidia.com/gpu': '2' }, { cpu: '1' })] },
    };
    for (const [shape, spec] of Object.entries(shapes)) yield input(`overhead-${runtimeClassName}-${shape}`, { ...spec, runtimeClassName });
  }
}

function* podLevel(): Generator<CorpusInput> {
  const level = (name: string, resources: NonNullable<CorpusSpec['resources']>, spec: Partial<CorpusSpec> = {}): CorpusInput =>
    input(`pod-level-${name}`, { containers: [container('a', { cpu: '500m', memory: '256Mi' }), container('b')], ...spec, resources });
  const both = { cpu: '2', memory: '1Gi' };
  const initContainers = [container('i', { cpu: '1500m', memory: '128Mi' })];
  yield level('both', { requests: both });
  yield level('cpu', { requests: { cpu: '2' } });
  yield level('memory', { requests: { memory: '1Gi' } });
  yield level('limits', { limits: both });
  yield level('limits-cpu', { limits: { cpu: '3' } });
  yield level('requests-and-limits', { requests: both, limits: { cpu: '4', memory: '4Gi' } });
  yield level('equal-to-containers', { requests: { cpu: '500m', memory: '256Mi' } });
  yield level('no-container-asks', { requests: both }, { containers: [container('a'), container('b')] });
  yield level('init', { requests: both }, { initContainers });
  yield level('sidecar', { requests: both }, { initContainers: [sidecar('s', { cpu: '250m', memory: '64Mi' })] });
  yield level('sidecar-and-init', { requests: both }, { initContainers: [sidecar('s', { cpu: '250m' }), ...initContainers] });
  yield level('storage', { requests: both }, { containers: [container('a', { 'ephemeral-storage': '1Gi' })] });
  yield level('gpu', { requests: both }, { containers: [exclusive('a', { 'nvidia.com/gpu': '1' })] });
  yield level('container-limits', { requests: both }, { containers: [container('a', undefined, { cpu: '1', memory: '512Mi' })] });
  yield level('fraction', { requests: { cpu: '1.25', memory: '1.5Gi' } });
}

function* devices(): Generator<CorpusInput> {
  const names = ['nvidia.com/gpu', 'amd.com/gpu', 'nvidia.com/mig-1g.10gb', 'example.com/fpga', 'intel.com/qat', 'rdma/hca'];
  for (const [i, name] of names.entries()) {
    const short = `device-${i}`;
    yield one(`${short}-one`, exclusive('a', { [name]: '1' }));
    yield one(`${short}-two-containers`, exclusive('a', { [name]: '1' }), exclusive('b', { [name]: '3' }, { cpu: '1' }));
    const initContainers = [exclusive('i', { [name]: '4' }), { ...exclusive('s', { [name]: '1' }), restartPolicy: 'Always' as const }];
    yield input(`${short}-init-and-sidecar`, { containers: [exclusive('a', { [name]: '2' })], initContainers });
  }
  yield one('devices-of-two-kinds', exclusive('a', { 'nvidia.com/gpu': '2', 'rdma/hca': '1' }, { cpu: '8', memory: '64Gi' }));
  yield one('devices-limits-alone', container('a', undefined, { 'nvidia.com/gpu': '2', cpu: '1' }));
  yield one('devices-none', exclusive('a', { 'nvidia.com/gpu': '0' }));
}

function* hugePages(): Generator<CorpusInput> {
  const memory = { memory: '64Mi', cpu: '100m' };
  for (const size of ['2Mi', '4Mi', '256Mi'])
    yield one(`huge-2mi-${size.toLowerCase()}`, exclusive('a', { 'hugepages-2Mi': size }, memory));
  for (const size of ['1Gi', '3Gi']) yield one(`huge-1gi-${size.toLowerCase()}`, exclusive('a', { 'hugepages-1Gi': size }, memory));
  yield one('huge-both', exclusive('a', { 'hugepages-2Mi': '8Mi', 'hugepages-1Gi': '1Gi' }, memory));
  yield one('huge-two-containers', exclusive('a', { 'hugepages-2Mi': '8Mi' }, memory), exclusive('b', { 'hugepages-2Mi': '6Mi' }, memory));
  const initContainers = [exclusive('i', { 'hugepages-2Mi': '32Mi' }, memory)];
  yield input('huge-init', { containers: [exclusive('a', { 'hugepages-2Mi': '8Mi' }, memory)], initContainers });
}

function* resizes(): Generator<CorpusInput> {
  const reasons = ['none', 'Deferred', 'Infeasible', 'InProgress'] as const;
  const orders = [
    ['1', '1', '1'],
    ['1', '2', '3'],
    ['1', '3', '2'],
    ['2', '1', '3'],
    ['3', '1', '2'],
    ['3', '2', '1'],
  ] as const;
  for (const [i, [asked, inUse, allocated]] of orders.entries()) {
    for (const reason of reasons) {
      const requests = { cpu: inUse, memory: `${allocated}Gi` };
      const containerStatuses = [
        { ...observed('a'), resources: { requests }, allocatedResources: { cpu: allocated, memory: `${inUse}Gi` } },
      ];
      const spec = { containers: [container('a', { cpu: asked, memory: `${asked}Gi` }), container('b', { cpu: '100m' })] };
      yield input(`resize-${i}-${reason.toLowerCase()}`, spec, { phase: 'Running', containerStatuses, ...resizeCondition(reason) });
    }
  }
  for (const [i, inUse] of ['100m', '700m', '2'].entries()) {
    const spec = {
      containers: [container('a', { cpu: '1' })],
      initContainers: [sidecar('s', { cpu: '500m' }), container('i', { cpu: '2' })],
    };
    const initContainerStatuses = [{ ...observed('s'), resources: { requests: { cpu: inUse } }, allocatedResources: { cpu: '300m' } }];
    yield input(`resize-sidecar-${i}`, spec, { phase: 'Running', initContainerStatuses });
  }
}

const observed = (name: string): CorpusContainerStatus => ({ name, image, imageID: '', ready: true, restartCount: 0 });

function resizeCondition(reason: 'none' | 'Deferred' | 'Infeasible' | 'InProgress'): Pick<CorpusStatus, 'conditions'> {
  if (reason === 'none') return {};
  if (reason === 'InProgress') return { conditions: [{ type: 'PodResizeInProgress', status: 'True' }] };
  return { conditions: [{ type: 'PodResizePending', status: 'True', reason }] };
}

function* phases(): Generator<CorpusInput> {
  for (const phase of ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']) {
    const low = phase.toLowerCase();
    yield input(`phase-${low}-plain`, { containers: [container('a', { cpu: '1', memory: '1Gi' })] }, { phase });
    yield input(`phase-${low}-gpu`, { containers: [exclusive('a', { 'nvidia.com/gpu': '1' })] }, { phase });
    yield input(`phase-${low}-best-effort`, { containers: [container('a')] }, { phase });
  }
}

/** Memory-backed volumes are outside of the scheduler's count. */
function* volumes(): Generator<CorpusInput> {
  for (const [i, emptyDir] of [{}, { medium: 'Memory' }, { medium: 'Memory', sizeLimit: '1Gi' }, { sizeLimit: '2Gi' }].entries()) {
    yield input(`volume-${i}`, { containers: [container('a', { cpu: '1', memory: '2Gi' })], volumes: [{ name: 'scratch', emptyDir }] });
  }
}

function* mixtures(count: number): Generator<CorpusInput> {
  const random = seededRandom(36);
  const below = (limit: number): number => Math.floor(random.next() * limit);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const amounts = (): Amounts => ({
    ...(below(4) > 0 ? { cpu: pick(cpuTexts) } : {}),
    ...(below(4) > 0 ? { memory: pick(memoryTexts) } : {}),
    ...(below(3) === 0 ? { 'ephemeral-storage': pick(['1Gi', '5M', '100Mi']) } : {}),
  });
  for (let i = 0; i < count; i += 1) {
    const containers = Array.from({ length: 1 + below(3) }, (_, at) =>
      below(4) === 0 ? exclusive(`c${at}`, { 'nvidia.com/gpu': `${1 + below(4)}` }, amounts()) : container(`c${at}`, amounts()),
    );
    const initContainers = Array.from({ length: below(4) }, (_, at) =>
      below(2) === 0 ? sidecar(`i${at}`, amounts()) : container(`i${at}`, amounts()),
    );
    yield input(`mixture-${i}`, { containers, initContainers, ...(below(4) === 0 ? { runtimeClassName: pick(['small', 'large']) } : {}) });
  }
}

/** What a RuntimeClass adds to each of its pods. */
export const runtimeOverheads: Readonly<Record<string, Amounts>> = {
  small: { cpu: '250m', memory: '120Mi' },
  large: { cpu: '1', memory: '1.5Gi', 'ephemeral-storage': '1Gi' },
};

/** Pods that an API server accepts, of every kind that counts differently. */
export function* corpusInputs(): Generator<CorpusInput> {
  yield* quantities();
  yield* withLimits();
  yield* inits();
  yield* overheads();
  yield* podLevel();
  yield* devices();
  yield* hugePages();
  yield* resizes();
  yield* phases();
  yield* volumes();
  yield* mixtures(40);
}
