import type { CountedContainer, CountedContainerStatus, CountedPod, ResourceAmounts } from '@quartermaster/kube';

export interface PodInput {
  readonly name: string;
  readonly pod: CountedPod;
}

const app = (name: string, requests?: ResourceAmounts): CountedContainer =>
  requests === undefined ? { name } : { name, resources: { requests } };
const sidecar = (name: string, requests?: ResourceAmounts): CountedContainer => ({ ...app(name, requests), restartPolicy: 'Always' });
const cpu = (amount: string): ResourceAmounts => ({ cpu: amount });
const memory = (amount: string): ResourceAmounts => ({ memory: amount });
const both = (cpuAmount: string, memoryAmount: string): ResourceAmounts => ({ cpu: cpuAmount, memory: memoryAmount });
const status = (name: string, inUse: ResourceAmounts | undefined, allocated?: ResourceAmounts): CountedContainerStatus => ({
  name,
  ...(inUse === undefined ? {} : { resources: { requests: inUse } }),
  ...(allocated === undefined ? {} : { allocatedResources: allocated }),
});
const pending = (reason: string): CountedPod['status'] => ({ conditions: [{ type: 'PodResizePending', reason }] });

const pod = (spec: CountedPod['spec'], observed?: CountedPod['status']): CountedPod =>
  observed === undefined ? { spec } : { spec, status: observed };
const resized = (asked: string, inUse: string, allocated: string, extra: CountedPod['status'] = {}): CountedPod =>
  pod({ containers: [app('web', cpu(asked))] }, { containerStatuses: [status('web', cpu(inUse), cpu(allocated))], ...extra });
const podLevel = (requests: ResourceAmounts, containers: readonly CountedContainer[], observed?: CountedPod['status']): CountedPod =>
  pod({ containers, resources: { requests } }, observed);

const appContainers: Readonly<Record<string, CountedPod>> = {
  'no containers': pod({}),
  'one container without requests': pod({ containers: [app('web')] }),
  'one container with empty requests': pod({ containers: [app('web', {})] }),
  'one container': pod({ containers: [app('web', both('250m', '64Mi'))] }),
  'two containers are summed': pod({ containers: [app('web', both('250m', '64Mi')), app('log', both('100m', '32Mi'))] }),
  'containers with different resources': pod({ containers: [app('web', cpu('1')), app('log', memory('1Gi'))] }),
  'cpu as a fraction': pod({ containers: [app('web', cpu('0.5'))] }),
  'cpu of one nano rounds up to a millicore': pod({ containers: [app('web', cpu('1n'))] }),
  'nanos are summed before they are rounded': pod({ containers: [app('a', cpu('1n')), app('b', cpu('1n'))] }),
  'micros are summed before they are rounded': pod({ containers: [app('a', cpu('100u')), app('b', cpu('950u'))] }),
  'cpu of 1500u': pod({ containers: [app('web', cpu('1500u'))] }),
  'memory in milli-bytes rounds up': pod({ containers: [app('web', memory('1500m'))] }),
  'milli-bytes are summed before they are rounded': pod({ containers: [app('a', memory('500m')), app('b', memory('500m'))] }),
  'memory in decimal, binary and exponent form': pod({
    containers: [app('a', memory('1G')), app('b', memory('1Gi')), app('c', memory('1e9'))],
  }),
  'memory of a fractional Gi': pod({ containers: [app('web', memory('1.5Gi'))] }),
  'memory of many digits': pod({ containers: [app('a', memory('123456789012345')), app('b', memory('0.1'))] }),
  'zero cpu and memory': pod({ containers: [app('web', both('0', '0'))] }),
  'ephemeral storage': pod({ containers: [app('a', { 'ephemeral-storage': '2Gi' }), app('b', { 'ephemeral-storage': '500M' })] }),
  'assigned and running': { spec: { nodeName: 'n1', containers: [app('web', cpu('1'))] }, status: { phase: 'Running' } },
  'a terminal phase does not change what it asks for': {
    spec: { nodeName: 'n1', containers: [app('web', cpu('1'))] },
    status: { phase: 'Succeeded' },
  },
  'failed, with in-use resources': resized('1', '2', '1', { phase: 'Failed' }),
};

const initContainers: Readonly<Record<string, CountedPod>> = {
  'init smaller than app': pod({ containers: [app('web', cpu('1'))], initContainers: [app('init', cpu('500m'))] }),
  'init larger than app': pod({ containers: [app('web', cpu('1'))], initContainers: [app('init', cpu('2'))] }),
  'init larger for one resource only': pod({
    containers: [app('web', both('1', '1Gi'))],
    initContainers: [app('init', both('2', '10Mi'))],
  }),
  'several init containers: the largest counts': pod({
    containers: [app('web', cpu('1'))],
    initContainers: [app('i1', both('3', '1Mi')), app('i2', both('1', '2Gi')), app('i3', cpu('2'))],
  }),
  'init without app requests': pod({ containers: [app('web')], initContainers: [app('init', both('2', '10Mi'))] }),
  'init with a resource that no app has': pod({
    containers: [app('web', cpu('1'))],
    initContainers: [app('init', { 'nvidia.com/gpu': '1' })],
  }),
  'sidecar alone': pod({ initContainers: [sidecar('proxy', cpu('100m'))] }),
  'sidecar beside app': pod({ containers: [app('web', cpu('1'))], initContainers: [sidecar('proxy', cpu('100m'))] }),
  'sidecar, then init that exceeds': pod({
    containers: [app('web', cpu('1'))],
    initContainers: [sidecar('proxy', cpu('500m')), app('init', cpu('2'))],
  }),
  'init that exceeds, then sidecar': pod({
    containers: [app('web', cpu('1'))],
    initContainers: [app('init', cpu('2')), sidecar('proxy', cpu('500m'))],
  }),
  'sidecar, then init that does not exceed': pod({
    containers: [app('web', cpu('3'))],
    initContainers: [sidecar('proxy', cpu('500m')), app('init', cpu('2'))],
  }),
  'init between two sidecars': pod({
    containers: [app('web', cpu('1'))],
    initContainers: [sidecar('p1', cpu('1')), app('init', cpu('4')), sidecar('p2', cpu('2'))],
  }),
  'sidecar between two inits': pod({
    containers: [app('web', cpu('100m'))],
    initContainers: [app('i1', cpu('4')), sidecar('p1', cpu('1')), app('i2', cpu('3500m'))],
  }),
  'two sidecars, two inits, alternating': pod({
    containers: [app('web', both('1', '1Gi'))],
    initContainers: [
      sidecar('p1', both('250m', '100Mi')),
      app('i1', both('1', '3Gi')),
      sidecar('p2', both('1', '50Mi')),
      app('i2', both('500m', '1Gi')),
    ],
  }),
  'sidecars of different resources': pod({
    containers: [app('web', cpu('1'))],
    initContainers: [sidecar('p1', memory('1Gi')), sidecar('p2', { 'ephemeral-storage': '1Gi' }), app('init', both('2', '1Mi'))],
  }),
  'restart policies other than Always make no sidecar': pod({
    containers: [app('web', cpu('1'))],
    initContainers: [
      { ...app('i1', cpu('600m')), restartPolicy: 'OnFailure' },
      { ...app('i2', cpu('700m')), restartPolicy: 'Never' },
    ],
  }),
  'sidecars without app containers, with a larger init': pod({
    initContainers: [sidecar('p1', cpu('1')), sidecar('p2', cpu('1')), app('init', cpu('3'))],
  }),
  'restart policy of an app container changes nothing': pod({
    containers: [{ ...app('web', cpu('1')), restartPolicy: 'Always' }],
    initContainers: [app('init', cpu('1500m'))],
  }),
};

const overhead: Readonly<Record<string, CountedPod>> = {
  'overhead alone': pod({ containers: [app('web')], overhead: both('250m', '120Mi') }),
  'overhead on top of app': pod({ containers: [app('web', both('1', '1Gi'))], overhead: both('250m', '120Mi') }),
  'overhead on top of init': pod({ containers: [app('web', cpu('1'))], initContainers: [app('init', cpu('2'))], overhead: cpu('250m') }),
  'overhead of a resource that no container has': pod({
    containers: [app('web', cpu('1'))],
    overhead: { 'ephemeral-storage': '1Gi', 'example.com/fuse': '1' },
  }),
  'overhead on top of pod-level requests': pod({
    containers: [app('web', cpu('1'))],
    resources: { requests: both('4', '2Gi') },
    overhead: both('250m', '120Mi'),
  }),
};

const podLevelRequests: Readonly<Record<string, CountedPod>> = {
  'pod-level above the containers': podLevel(both('4', '8Gi'), [app('web', both('1', '1Gi'))]),
  'pod-level below the containers': podLevel(cpu('500m'), [app('web', both('1', '1Gi'))]),
  'pod-level cpu only': podLevel(cpu('2'), [app('web', both('1', '1Gi')), app('log', both('100m', '1Gi'))]),
  'pod-level memory only': podLevel(memory('2Gi'), [app('web', both('1', '1Gi'))]),
  'pod-level huge pages': podLevel({ 'hugepages-2Mi': '8Mi', cpu: '1' }, [app('web', { 'hugepages-2Mi': '4Mi' })]),
  'pod-level storage and devices are ignored': podLevel({ 'ephemeral-storage': '9Gi', 'nvidia.com/gpu': '4' }, [
    app('web', { 'ephemeral-storage': '1Gi' }),
  ]),
  'pod-level cpu beside an ignored resource': podLevel({ cpu: '2', 'nvidia.com/gpu': '4' }, [app('web', cpu('1'))]),
  'pod-level empty': podLevel({}, [app('web', cpu('1'))]),
  'pod-level zero': podLevel(cpu('0'), [app('web', cpu('1'))]),
  'pod-level over a larger init': pod({
    containers: [app('web', cpu('1'))],
    initContainers: [app('init', cpu('5'))],
    resources: { requests: cpu('2') },
  }),
  'pod-level with containers that ask for nothing': podLevel(both('2', '1Gi'), [app('web'), app('log')]),
  'pod-level resize in progress': podLevel(cpu('2'), [app('web')], { resources: { requests: cpu('3') }, allocatedResources: cpu('2') }),
  'pod-level resize deferred': podLevel(cpu('4'), [app('web')], {
    resources: { requests: cpu('2') },
    allocatedResources: cpu('2'),
    ...pending('Deferred'),
  }),
  'pod-level resize infeasible': podLevel(cpu('400'), [app('web')], {
    resources: { requests: cpu('2') },
    allocatedResources: cpu('1'),
    ...pending('Infeasible'),
  }),
  'pod-level resize infeasible for a resource without a status': podLevel(both('400', '1Gi'), [app('web', both('1', '1Mi'))], {
    resources: { requests: cpu('2') },
    ...pending('Infeasible'),
  }),
  'pod-level status with empty resources': podLevel(cpu('2'), [app('web')], { resources: {}, allocatedResources: cpu('3') }),
  'pod-level allocation without resources is ignored': podLevel(cpu('2'), [app('web')], { allocatedResources: cpu('3') }),
  'pod-level status without pod-level requests': pod({ containers: [app('web', cpu('1'))] }, { resources: { requests: cpu('3') } }),
};

const resizes: Readonly<Record<string, CountedPod>> = {
  'in use as asked': resized('1', '1', '1'),
  'growing: asked is largest': resized('2', '1', '1'),
  'shrinking: in use is largest': resized('1', '2', '1'),
  'allocated is largest': resized('1', '1', '3'),
  'growing, deferred': resized('4', '1', '1', pending('Deferred')),
  'growing, infeasible': resized('400', '1', '1', pending('Infeasible')),
  'growing, infeasible, allocated above in use': resized('400', '1', '2', pending('Infeasible')),
  'growing, in progress': resized('2', '1', '2', { conditions: [{ type: 'PodResizeInProgress' }] }),
  'in progress with an error called Infeasible': resized('2', '1', '1', {
    conditions: [{ type: 'PodResizeInProgress', reason: 'Infeasible' }],
  }),
  'only the first pending condition is read': resized('4', '1', '1', {
    conditions: [
      { type: 'PodResizePending', reason: 'Deferred' },
      { type: 'PodResizePending', reason: 'Infeasible' },
    ],
  }),
  'allocation without resources in force is ignored': pod(
    { containers: [app('web', cpu('1'))] },
    { containerStatuses: [status('web', undefined, cpu('3'))] },
  ),
  'resources in force are empty': pod({ containers: [app('web', cpu('1'))] }, { containerStatuses: [status('web', {}, cpu('3'))] }),
  'status names another resource': pod({ containers: [app('web', cpu('1'))] }, { containerStatuses: [status('web', memory('1Gi'))] }),
  'infeasible: an asked resource without a status vanishes': pod(
    { containers: [app('web', both('1', '1Gi'))] },
    { containerStatuses: [status('web', cpu('500m'))], ...pending('Infeasible') },
  ),
  'status of an unknown container': pod({ containers: [app('web', cpu('1'))] }, { containerStatuses: [status('gone', cpu('9'))] }),
  'one of two containers resized': pod(
    { containers: [app('a', cpu('1')), app('b', cpu('1'))] },
    { containerStatuses: [status('b', cpu('2'), cpu('2'))] },
  ),
  'sidecar resized': pod(
    { containers: [app('web', cpu('1'))], initContainers: [sidecar('proxy', cpu('100m'))] },
    { initContainerStatuses: [status('proxy', cpu('700m'), cpu('100m'))] },
  ),
  'resized sidecar below a later init': pod(
    { containers: [app('web', cpu('1'))], initContainers: [sidecar('proxy', cpu('100m')), app('init', cpu('3'))] },
    { initContainerStatuses: [status('proxy', cpu('700m'))] },
  ),
  'status of an ordinary init container is ignored': pod(
    { containers: [app('web', cpu('1'))], initContainers: [app('init', cpu('2'))] },
    { initContainerStatuses: [status('init', cpu('9'))] },
  ),
  'an init status wins over an app status of the same name': pod(
    { containers: [app('web', cpu('1'))] },
    { containerStatuses: [status('web', cpu('9'))], initContainerStatuses: [status('web', cpu('2'))] },
  ),
};

const namedResources: Readonly<Record<string, CountedPod>> = {
  'gpus of two containers': pod({ containers: [app('a', { 'nvidia.com/gpu': '1' }), app('b', { 'nvidia.com/gpu': '2' })] }),
  'zero gpus are still named': pod({ containers: [app('a', { 'nvidia.com/gpu': '0' })] }),
  'gpus in a sidecar and an init': pod({
    containers: [app('a', { 'nvidia.com/gpu': '1' })],
    initContainers: [sidecar('s', { 'nvidia.com/gpu': '1' }), app('i', { 'nvidia.com/gpu': '4' })],
  }),
  'huge pages of two sizes': pod({ containers: [app('a', { 'hugepages-2Mi': '64Mi', 'hugepages-1Gi': '2Gi', memory: '1Gi' })] }),
  'attachable volumes': pod({ containers: [app('a', { 'attachable-volumes-aws-ebs': '3' })] }),
  'native names with a prefix': pod({ containers: [app('a', { 'kubernetes.io/thing': '3', 'x.kubernetes.io/other': '1' })] }),
  'names that the scheduler ignores': pod({
    containers: [app('a', { pods: '5', storage: '1Gi', 'requests.cpu': '1', 'requests.nvidia.com/gpu': '1', gadget: '2' })],
  }),
  'names that are not qualified': pod({
    containers: [
      app('a', {
        'Example.com/gpu': '1',
        'example.com/': '1',
        '/gpu': '1',
        'a/b/c': '1',
        'example.com/-gpu': '1',
        'example..com/gpu': '1',
      }),
    ],
  }),
  'names at the limits of length': pod({
    containers: [app('a', { [`example.com/${'n'.repeat(63)}`]: '1', [`example.org/${'n'.repeat(64)}`]: '1' })],
  }),
  'qualified names of every shape': pod({
    containers: [app('a', { 'a/b': '1', 'amd.com/GPU_x.1': '2', 'x-1.example.com/nic-100G': '3' })],
  }),
  'a fraction of a device rounds up': pod({
    containers: [app('a', { 'example.com/slice': '500m' }), app('b', { 'example.com/slice': '600m' })],
  }),
  'devices in use after a resize': pod(
    { containers: [app('a', { 'nvidia.com/gpu': '1', cpu: '1' })] },
    { containerStatuses: [status('a', { 'nvidia.com/gpu': '1', cpu: '2' }, { 'nvidia.com/gpu': '1', cpu: '1' })] },
  ),
};

/** Pods whose counting by the scheduler the pod vectors record. */
export const podInputs: readonly PodInput[] = Object.entries({
  ...appContainers,
  ...initContainers,
  ...overhead,
  ...podLevelRequests,
  ...resizes,
  ...namedResources,
}).map(([name, input]) => ({ name, pod: input }));
