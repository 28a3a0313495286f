import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leaseContent } from '../../test/lease-content.ts';
import { groupOf, leasePodOf, leaseServiceOf, workloadOf } from '../../test/seen-lease.ts';
import { leaseObjects } from '../objects/lease-objects.ts';
import { judgeLease } from './judge-lease.ts';
import type { HealthInput, NodeSight, SeenClaim, SeenLeasePod, SeenWorkload } from './lease-health.ts';
import { seenStatefulSet } from './workload-sight.ts';

const Gi = 2 ** 30;
const input = (changed: Partial<HealthInput> = {}): HealthInput => ({
  group: groupOf(leaseServiceOf('web')),
  pods: [],
  workloads: [workloadOf('web', 0)],
  claims: [],
  isNodeSeen: () => true,
  hasRun: false,
  isLate: false,
  ...changed,
});
const waitingFor = (reason: string, message = ''): Partial<SeenLeasePod> => ({
  isReady: false,
  phase: 'Pending',
  waiting: { reason, message },
});
const ended = (reason: string, exitCode: number, message = ''): Partial<SeenLeasePod> => ({ lastEnd: { reason, exitCode, message } });
const evicted = (message: string): Partial<SeenLeasePod> => ({ phase: 'Failed', isReady: false, reason: 'Evicted', message });

const withVolume = leaseServiceOf('web', {
  resources: {
    ...leaseServiceOf('web').resources,
    volumes: [
      { name: 'default', bytes: Gi, kind: 'ephemeral', class: '' },
      { name: 'data', bytes: 10 * Gi, kind: 'persistent', class: 'beta1' },
    ],
  },
});
const claim = (phase: string): SeenClaim => ({ name: 'web-data-web-0', phase, storageClass: 'beta1', bytes: 10 * Gi, node: '' });

describe('the health of a lease', () => {
  it('is healthy when every service has its replicas, as its workload says', () => {
    const report = judgeLease(input({ pods: [leasePodOf('web-1')], workloads: [workloadOf('web', 1)] }));
    expect(report).toEqual({
      state: 'healthy',
      services: [{ service: 'web', count: 1, available: 1, ready: 1, updated: 1, state: 'healthy', problems: [] }],
    });
  });

  it('is healthy as its workload says, where pods in sight were not seen to be ready yet', () => {
    const pods = [leasePodOf('web-1', { isReady: false })];
    expect(judgeLease(input({ pods, workloads: [workloadOf('web', 1)], hasRun: true })).state).toBe('healthy');
  });

  it('finds the StatefulSet of a service whose name is too long for it', () => {
    const long = leaseServiceOf(`s${'-service'.repeat(7)}`.slice(0, 55), { resources: withVolume.resources });
    const made = leaseObjects(leaseContent([long])).find(({ type }) => type.kind === 'StatefulSet')?.object;
    const workloads = [
      seenStatefulSet({ ...made, status: { observedGeneration: 1, replicas: 1, availableReplicas: 1, updatedReplicas: 1 } }),
    ];
    const pods = [leasePodOf('s-0', { service: long.name })];
    expect(judgeLease(input({ group: groupOf(long), pods, workloads })).state).toBe('healthy');
  });

  it('starts while nothing is known to be wrong, and is unhealthy for the same once it has run', () => {
    const pods = [leasePodOf('web-1', waitingFor('ContainerCreating'))];
    expect(judgeLease(input({ pods })).state).toBe('starting');
    expect(judgeLease(input({ pods, hasRun: true })).state).toBe('unhealthy');
    expect(judgeLease(input({ pods, isLate: true })).state).toBe('unhealthy');
  });

  it.each<[code: string, state: string, pod: Partial<SeenLeasePod>, message: string]>([
    [
      'ImagePullFailed',
      'unhealthy',
      waitingFor('ImagePullBackOff', 'Back-off pulling image "registry.example/web:1": not found.'),
      'The image registry.example/web:1 cannot be pulled: its registry does not have it. Correct its name or tag, or give the credentials of its registry, and update the deployment.',
    ],
    [
      'ImagePullFailed',
      'unhealthy',
      waitingFor('InvalidImageName'),
      'The image registry.example/web:1 cannot be pulled: InvalidImageName. Correct its name or tag, or give the credentials of its registry, and update the deployment.',
    ],
    [
      'CrashLoop',
      'unhealthy',
      { ...waitingFor('CrashLoopBackOff'), ...ended('Error', 1, 'first\nlast \u001b[31mline\u001b[0m\n'), restarts: 7, phase: 'Running' },
      'Its container keeps exiting (7 times so far, last with exit code 1). Correct its image, command or environment, and update the deployment.',
    ],
    [
      'CrashLoop',
      'unhealthy',
      { isReady: false, ...ended('StartError', 128), restarts: 2 },
      'Its container keeps exiting (2 times so far, last with exit code 128, StartError). Correct its image, command or environment, and update the deployment.',
    ],
    [
      'OutOfMemory',
      'unhealthy',
      { ...waitingFor('CrashLoopBackOff'), ...ended('OOMKilled', 137), restarts: 1, phase: 'Running' },
      'Its container was killed for using more memory than its 512 MiB. It was restarted once. Reduce its memory use; a higher limit requires a new deployment.',
    ],
    [
      'Unschedulable',
      'unhealthy',
      { node: '', isReady: false, phase: 'Pending', unschedulable: '0/3 nodes are available: 1 Insufficient cpu.' },
      'It does not fit on the node n-1, to which it is assigned. It starts once the provider makes room; to run it elsewhere, close the deployment and deploy again.',
    ],
    [
      'WaitingForPlace',
      'starting',
      { node: '', assignedTo: '', isGated: true, isReady: false, phase: 'Pending' },
      'It is waiting for the provider to assign a node. No action is needed.',
    ],
    [
      'Evicted',
      'starting',
      evicted('The node was low on resource: memory. Threshold quantity: 100Mi.'),
      'It was removed from its node, which ran short of memory. It will be replaced.',
    ],
    [
      'NotReady',
      'starting',
      waitingFor('CreateContainerConfigError', 'configmap "web-env" not found'),
      'Its container cannot be started yet (CreateContainerConfigError).',
    ],
    ['NotReady', 'starting', { isReady: false }, 'It is running, but not ready yet.'],
    ['NotReady', 'starting', waitingFor('ContainerCreating'), 'Its image is being pulled, or its container is being created.'],
    ['NotReady', 'starting', { isReady: false, node: '', phase: 'Pending' }, 'It is being scheduled.'],
    [
      'NotReady',
      'starting',
      { phase: 'Failed', isReady: false, reason: 'OutOfcpu', message: 'Pod was rejected' },
      'It has ended (Failed: OutOfcpu). It will be replaced.',
    ],
  ])('tells %s apart, which is %s before it has run', (code, state, pod, message) => {
    const report = judgeLease(input({ pods: [leasePodOf('web-1', pod)] }));
    expect(report.state).toBe(state);
    expect(report.services[0]?.problems).toMatchObject([{ code, message, subject: 'web-1' }]);
  });

  it.each<[what: string, code: string, state: string, pod: Partial<SeenLeasePod>, claim: SeenClaim, message: string]>([
    [
      'a volume that is being made',
      'VolumePending',
      'starting',
      waitingFor('ContainerCreating'),
      claim('Pending'),
      'Its volume web-data-web-0 is still being provisioned by the storage class beta1.',
    ],
    [
      'a volume that the scheduler waits for',
      'VolumePending',
      'starting',
      { node: '', isReady: false, unschedulable: 'pod has unbound immediate PersistentVolumeClaims' },
      claim('Pending'),
      "It is waiting for its volumes. It starts once the provider's storage has created them.",
    ],
    [
      'a volume that is lost',
      'VolumePending',
      'starting',
      waitingFor('ContainerCreating'),
      claim('Lost'),
      'The storage of its volume web-data-web-0 is gone, and its data may be lost. Contact the provider.',
    ],
    [
      'a full volume',
      'VolumeFull',
      'unhealthy',
      { ...waitingFor('CrashLoopBackOff'), ...ended('Error', 1, 'write /data/x: no space left on device'), restarts: 1 },
      claim('Bound'),
      'Its volume, data of 10 GiB, is full: its container exited because no space was left. Remove data; a larger volume requires a new deployment.',
    ],
    [
      'more ephemeral storage than it has',
      'VolumeFull',
      'unhealthy',
      evicted('Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. '),
      claim('Bound'),
      'It wrote more than its 1 GiB of ephemeral storage, and was stopped: Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. Reduce what it writes, or write to a persistent volume; more storage requires a new deployment.',
    ],
    [
      'a full emptyDir',
      'VolumeFull',
      'unhealthy',
      evicted('Usage of EmptyDir volume "shm" exceeds the limit "1Gi". '),
      claim('Bound'),
      'It wrote more than its 1 GiB of ephemeral storage, and was stopped: Usage of EmptyDir volume "shm" exceeds the limit "1Gi". Reduce what it writes, or write to a persistent volume; more storage requires a new deployment.',
    ],
  ])('tells of storage: %s', (_, code, state, pod, seen, message) => {
    const pods = [leasePodOf('web-0', { ...pod, claims: ['web-data-web-0'] })];
    const report = judgeLease(
      input({ group: groupOf(withVolume), pods, claims: [seen], workloads: [workloadOf('web', 0, { kind: 'StatefulSet' })] }),
    );
    expect(report.state).toBe(state);
    expect(report.services[0]?.problems).toMatchObject([{ code, message, subject: 'web-0' }]);
  });

  it('says once what is wrong with several pods, and with how many', () => {
    const crashing = { ...waitingFor('CrashLoopBackOff'), ...ended('Error', 1), restarts: 3 };
    const pods = [leasePodOf('web-c', crashing), leasePodOf('web-a', crashing), leasePodOf('web-b', waitingFor('ErrImagePull', 'denied'))];
    const [service] = judgeLease(input({ group: groupOf(leaseServiceOf('web', { count: 3 })), pods })).services;
    expect(service?.problems).toMatchObject([
      { code: 'CrashLoop', subject: 'web-a', message: expect.stringMatching(/^Its container .* 2 pods are affected\.$/) },
      { code: 'ImagePullFailed', subject: 'web-b' },
    ]);
  });

  it('tells nothing of what a container printed, which may be secret, and the beginning of what others said', () => {
    const crashing = { ...waitingFor('CrashLoopBackOff'), ...ended('Error', 1, 'PASSWORD=hunter2') };
    const unpulled = waitingFor('ErrImagePull', `the beginning ${'y'.repeat(5_000)}`);
    const problemOf = (pod: Partial<SeenLeasePod>) => judgeLease(input({ pods: [leasePodOf('web-1', pod)] })).services[0]?.problems[0];
    expect(problemOf(crashing)?.message).toContain('exit code 1');
    expect(JSON.stringify(problemOf(crashing))).not.toContain('hunter2');
    expect(problemOf(unpulled)?.message).toContain('cannot be pulled: ErrImagePull. ');
    expect(problemOf(unpulled)?.cause).toMatch(/^the beginning y{200,230} …/);
  });

  const said = 'pod of other-tenant/db on n-7 says 10.9.8.7';
  it.each<[what: string, pod: Partial<SeenLeasePod>, message: RegExp]>([
    ['evicted', evicted(`The node was low on resource: memory. ${said}`), /^It was removed from its node, which ran short of memory\. /],
    ['evicted for its own limit', evicted(`it exceeds the limit: ${said}`), /^It wrote more than .* and was stopped\. Reduce what/],
    ['ended', { phase: 'Failed', isReady: false, reason: 'Preempting', message: said }, /^It has ended \(Failed: Preempting\)\./],
    ['without a place', { node: '', isReady: false, unschedulable: said }, /^It does not fit on the node n-1, to which it is assigned\. /],
    ['without an image', waitingFor('ErrImagePull', said), /cannot be pulled: ErrImagePull\. /],
    ['not started', waitingFor('CreateContainerError', said), /^Its container cannot be started yet \(CreateContainerError\)\.$/],
  ])('tells what Kubernetes says apart from what the tenant is told of a pod: %s', (_, pod, message) => {
    const [problem] = judgeLease(input({ pods: [leasePodOf('web-1', pod)] })).services[0]?.problems ?? [];
    expect(problem?.message).toMatch(message);
    expect(problem?.message).not.toMatch(/other-tenant|n-7|10\.9\.8\.7/);
    expect(problem?.cause).toContain(said);
  });

  it('does not know what runs on a silent node, whatever else is wrong', () => {
    const isNodeSeen = (node: string): boolean => node !== 'n-2';
    const group = groupOf(leaseServiceOf('web', { count: 2 }), leaseServiceOf('db'));
    const pods = [
      leasePodOf('web-1', { node: 'n-2', isReady: false }),
      leasePodOf('web-2'),
      leasePodOf('db-1', { service: 'db', ...waitingFor('ImagePullBackOff', 'denied') }),
    ];
    const report = judgeLease(input({ group, pods, workloads: [workloadOf('web', 1), workloadOf('db', 0)], isNodeSeen, hasRun: true }));
    expect(report.state).toBe('unknown');
    expect(report.services.map(({ state }) => state)).toEqual(['unknown', 'unhealthy']);
    expect(report.services[0]?.problems).toMatchObject([{ code: 'NodeSilent', subject: 'web-1' }]);
  });

  it('does not take for failed what runs, where only what makes it is not seen', () => {
    const state = (pods: readonly SeenLeasePod[]) => judgeLease(input({ pods, workloads: [], hasRun: true })).state;
    expect(state([leasePodOf('web-1')])).toBe('unknown');
    expect(state([])).toBe('unhealthy');
  });

  it('does not take for failed what waits for a node that the provider holds back', () => {
    const drained = { node: '', assignedTo: 'n-2', isReady: false, unschedulable: '1 node was unschedulable' };
    const state = (isNodeSeen: NodeSight) =>
      judgeLease(input({ pods: [leasePodOf('web-1', drained)], workloads: [workloadOf('web', 0)], isNodeSeen, hasRun: true })).state;
    expect(state(() => true)).toBe('unhealthy');
    expect(state((_node, use) => use === 'runs')).toBe('unknown');
  });

  it('does not believe figures that count a silent node, unless the others are enough', () => {
    const isNodeSeen = (node: string): boolean => node !== 'n-2';
    const onSilent = leasePodOf('web-1', { node: 'n-2' });
    const state = (pods: readonly SeenLeasePod[]) => judgeLease(input({ pods, workloads: [workloadOf('web', 1)], isNodeSeen })).state;
    expect(state([onSilent])).toBe('unknown');
    expect(state([onSilent, leasePodOf('web-2')])).toBe('healthy');
  });

  it('counts a pod that is being deleted on a silent node until another is there instead', () => {
    const isNodeSeen = (node: string): boolean => node !== 'n-2';
    const leaving = leasePodOf('web-1', { node: 'n-2', isDeleting: true, isReady: false });
    const state = (...pods: readonly SeenLeasePod[]) => judgeLease(input({ pods, isNodeSeen, hasRun: true })).state;
    expect(state(leaving)).toBe('unknown');
    expect(state(leaving, leasePodOf('web-2', waitingFor('ContainerCreating')))).toBe('unhealthy');
  });

  it('does not know what is to run on a silent node', () => {
    const pods = [leasePodOf('web-1', { node: '', assignedTo: 'n-2', isReady: false, unschedulable: '0/3 nodes are available' })];
    const report = judgeLease(input({ pods, isNodeSeen: (node) => node !== 'n-2' }));
    expect(report).toMatchObject({ state: 'unknown', services: [{ problems: [{ code: 'NodeSilent' }] }] });
  });

  it('knows nothing while it is blind, and says why', () => {
    const report = judgeLease(
      input({ pods: [leasePodOf('web-1', waitingFor('ErrImagePull'))], blind: 'pods are not being followed.', hasRun: true }),
    );
    expect(report).toMatchObject({
      state: 'unknown',
      services: [
        {
          state: 'unknown',
          problems: [
            {
              code: 'NotSeen',
              message: 'Its state is unknown: pods are not being followed. It is not counted as failed.',
            },
          ],
        },
      ],
    });
  });

  it('tells of an update that does not get on while the replicas before it still serve', () => {
    const pods = [
      leasePodOf('web-1'),
      leasePodOf('web-2', waitingFor('ErrImagePull', 'denied')),
      leasePodOf('web-3', waitingFor('ContainerCreating')),
    ];
    const report = judgeLease(input({ pods, workloads: [workloadOf('web', 1)], hasRun: true }));
    expect(report).toMatchObject({ state: 'healthy', services: [{ problems: [{ code: 'ImagePullFailed', subject: 'web-2' }] }] });
  });

  it('forgets how a pod ended once its successor was ready', () => {
    const history = leasePodOf('web-1', { ...evicted('Usage of EmptyDir volume "a" exceeds the limit "1Gi".'), createdAt: 1_000 });
    const next = leasePodOf('web-2', { ...waitingFor('ContainerCreating'), createdAt: 3_000 });
    const group = groupOf(leaseServiceOf('web', { count: 2 }));
    const codes = (...pods: readonly SeenLeasePod[]) =>
      judgeLease(input({ group, pods, workloads: [workloadOf('web', 1)] })).services[0]?.problems.map(({ code }) => code);
    expect(codes(history, next)).toEqual(['NotReady', 'VolumeFull']);
    expect(codes(history, next, leasePodOf('web-3', { createdAt: 2_000 }))).toEqual(['NotReady']);
  });

  it('does not blame the quota while a pod that ends still counts against it', () => {
    const workloads = [workloadOf('web', 0, { failure: 'pods "web-2" is forbidden: exceeded quota: lease' })];
    const [service] = judgeLease(input({ pods: [leasePodOf('web-1', { isDeleting: true })], workloads })).services;
    expect(service?.problems).toMatchObject([{ code: 'NotReady', message: expect.stringContaining('is stopping') }]);
  });

  it('does not blame an end of long ago on what waits for something else', () => {
    const pods = [leasePodOf('web-1', { ...waitingFor('ContainerCreating'), ...ended('OOMKilled', 137), restarts: 5 })];
    expect(judgeLease(input({ pods }))).toMatchObject({ state: 'starting', services: [{ problems: [{ code: 'NotReady' }] }] });
  });

  it.each<[string, readonly SeenWorkload[], string, object]>([
    ['nothing of it is there', [], 'unhealthy', { code: 'NotReady', message: 'It has not been created yet.' }],
    [
      'its controller has not looked',
      [workloadOf('web', 1, { isObserved: false })],
      'unknown',
      { code: 'NotReady', message: 'Kubernetes has not processed the latest version of its Deployment yet.' },
    ],
    [
      'a quota is in the way',
      [workloadOf('web', 0, { failure: 'pods "web-1" is forbidden: exceeded quota: lease' })],
      'unhealthy',
      {
        code: 'QuotaExceeded',
        message: 'Its pods cannot be created: the quota of its namespace is used up. Contact the provider.',
        cause: 'pods "web-1" is forbidden: exceeded quota: lease',
      },
    ],
    [
      'something else is in the way',
      [workloadOf('web', 0, { failure: 'admission refused it' })],
      'unhealthy',
      {
        code: 'NotReady',
        message: 'Its pods cannot be created: the cluster refuses them. Contact the provider.',
        cause: 'admission refused it',
      },
    ],
    ['they are being made', [workloadOf('web', 0)], 'unhealthy', { code: 'NotReady', message: 'Its replica is being created.' }],
  ])('says what is so where there are no pods: %s', (_, workloads, state, problem) => {
    const report = judgeLease(input({ workloads, hasRun: true }));
    expect(report.state).toBe(state);
    expect(report.services[0]?.problems).toEqual([{ ...problem, subject: 'web' }]);
    expect(judgeLease(input({ workloads })).state).toBe('starting');
  });
});

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('', 'no space left on device', 'exceeds the limit', 'PersistentVolumeClaim'),
);
const reasons = ['', 'Evicted', 'CrashLoopBackOff', 'ErrImagePull', 'ImagePullBackOff', 'ContainerCreating', 'OOMKilled', 'Error'];
const reason = fc.oneof(fc.constantFrom(...reasons), text);
const anyPod: fc.Arbitrary<SeenLeasePod> = fc.record({
  name: fc.string(),
  uid: fc.string(),
  service: fc.constantFrom('web', 'db', 'other'),
  node: fc.constantFrom('', 'n-1', 'n-2'),
  assignedTo: fc.constantFrom('', 'n-1', 'n-2'),
  isGated: fc.boolean(),
  isDeleting: fc.boolean(),
  phase: fc.constantFrom('', 'Pending', 'Running', 'Failed', 'Succeeded', 'Unknown'),
  isReady: fc.boolean(),
  restarts: fc.nat(5),
  createdAt: fc.nat(5),
  reason,
  message: text,
  unschedulable: text,
  waiting: fc.option(fc.record({ reason, message: text }), { nil: undefined }),
  lastEnd: fc.option(fc.record({ reason, exitCode: fc.integer(), message: text }), { nil: undefined }),
  claims: fc.subarray(['a', 'b']),
  gpus: fc.nat(8),
});
const anyWorkload: fc.Arbitrary<SeenWorkload> = fc.record({
  service: fc.constantFrom('web', 'db'),
  kind: fc.constantFrom('Deployment', 'StatefulSet'),
  available: fc.nat(3),
  ready: fc.nat(3),
  updated: fc.nat(3),
  isObserved: fc.boolean(),
  failure: fc.option(text, { nil: undefined }),
});
const anyInput: fc.Arbitrary<HealthInput> = fc.record({
  group: fc
    .tuple(fc.nat(3), fc.nat(3), fc.boolean())
    .map(([web, db, isKept]) =>
      groupOf({ ...(isKept ? withVolume : leaseServiceOf('web')), count: web }, leaseServiceOf('db', { count: db })),
    ),
  pods: fc.array(anyPod, { maxLength: 6 }),
  workloads: fc.array(anyWorkload, { maxLength: 3 }),
  claims: fc.subarray([
    { ...claim('Bound'), name: 'a' },
    { ...claim('Pending'), name: 'b' },
  ]),
  isNodeSeen: fc.subarray(['n-1', 'n-2']).map((seen) => (node: string) => seen.includes(node)),
  blind: fc.option(text, { nil: undefined }),
  hasRun: fc.boolean(),
  isLate: fc.boolean(),
});

describe('the health of any lease', () => {
  it('is never unhealthy while nobody can see, healthy only with all replicas, and never without a word', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const { state, services } = judgeLease(given);
        if (given.blind !== undefined) expect(state).toBe('unknown');
        if (state === 'healthy') expect(services.every(({ available, count }) => available >= count)).toBe(true);
        if (state === 'unhealthy') expect(services.every((service) => service.state !== 'unknown')).toBe(true);
        for (const service of services) {
          if (service.state !== 'healthy') expect(service.problems.length).toBeGreaterThan(0);
          expect(new Set(service.problems.map(({ code }) => code)).size).toBe(service.problems.length);
          for (const { message } of service.problems) {
            expect(message).not.toMatch(/[\p{Cc}\p{Cs}]/u);
            expect(message.isWellFormed()).toBe(true);
            expect(message.length).toBeLessThan(2048);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('never blames a lease for a node that nobody hears of', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const { state } = judgeLease({
          ...given,
          isNodeSeen: () => false,
          pods: given.pods.map((pod) => ({ ...pod, node: 'n-1', phase: 'Running' })),
        });
        const isRun = given.group.services.every(({ name, count }) => count > 0 && given.pods.some(({ service }) => service === name));
        if (isRun) expect(state).not.toBe('unhealthy');
      }),
      { numRuns: 1_000 },
    );
  });
});
