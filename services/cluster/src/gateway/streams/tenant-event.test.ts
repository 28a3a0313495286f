import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SeenEvent, tenantEvent } from './tenant-event.ts';

const seen = (changed: Partial<SeenEvent> = {}): SeenEvent => ({
  ...{
    type: 'Normal',
    reason: 'Started',
    note: 'Started container web',
    controller: 'kubelet',
    kind: 'Pod',
    namespace: 'lease-1',
    name: 'web-1',
    at: 0,
  },
  ...changed,
});
const noteOf = (reason: string, note: string, changed: Partial<SeenEvent> = {}): string | undefined =>
  tenantEvent(seen({ reason, note, ...changed }))?.note;

describe('an event', () => {
  it('is told in the form of the ecosystem, without who saw it', () => {
    expect(tenantEvent(seen({ type: 'Warning' }))).toEqual({
      ...{ type: 'Warning', reportingController: 'kubelet', reportingInstance: '', reason: 'Started', note: 'Started container web' },
      object: { kind: 'Pod', namespace: 'lease-1', name: 'web-1' },
    });
  });

  it('is told of kinds that a lease has', () => {
    for (const kind of ['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'PersistentVolumeClaim', 'Service'])
      expect(tenantEvent(seen({ kind }))).toBeDefined();
    for (const kind of ['Node', 'PersistentVolume', 'Ingress', 'HTTPRoute', 'Manifest', 'Secret', ''])
      expect(tenantEvent(seen({ kind }))).toBeUndefined();
  });

  it('is told without a controller that is named after where it runs', () => {
    const of = (controller: string) => tenantEvent(seen({ controller }))?.reportingController;
    expect(['kubelet', 'default-scheduler', 'replicaset-controller'].map(of)).toEqual([
      'kubelet',
      'default-scheduler',
      'replicaset-controller',
    ]);
    expect(['driver.longhorn.io_csi-provisioner-0_8e1f', 'ceph.rbd_node-17_1', 'node-17'].map(of)).toEqual(['', '', '']);
  });

  it.each([
    ['Pulling', 'Pulling image "nginx"'],
    ['Pulled', 'Successfully pulled image "nginx" in 1.2s (1.2s including waiting). Image size: 123 bytes.'],
    ['Pulled', 'Successfully pulled image "ghcr.io/a/b@sha256:0f" in 1m2.345s (2m3s including waiting)'],
    ['Pulled', 'Successfully pulled image "nginx" in 568.498558ms'],
    ['Pulled', 'Container image "nginx:1.29" already present on machine'],
    ['Pulled', 'Container image "nginx" already present on machine and can be accessed by the pod'],
    ['Pulled', 'Image "nginx" is on the simulated node'],
    ['Created', 'Created container: web'],
    ['Created', 'Created container web'],
    ['Created', 'Container created'],
    ['Started', 'Started container web'],
    ['Started', 'Container started'],
    ['Killing', 'Stopping container web'],
    ['Killing', 'Container web failed liveness probe, will be restarted'],
    ['ScalingReplicaSet', 'Scaled up replica set x from 0 to 2'],
    ['ScalingReplicaSet', 'Scaled up replica set web-5d to 2'],
    ['ScalingReplicaSet', 'Scaled down replica set web-5d to 0 from 2'],
    ['SuccessfulCreate', 'Created pod: web-5d-abcde'],
    ['SuccessfulCreate', 'create Pod web-0 in StatefulSet web successful'],
    ['SuccessfulCreate', 'create Claim data-web-0 Pod web-0 in StatefulSet web success'],
    ['SuccessfulDelete', 'Deleted pod: web-5d-abcde'],
    ['SuccessfulDelete', 'delete Pod web-0 in StatefulSet web successful'],
  ])('of the reason %s says "%s"', (reason, note) => {
    expect(noteOf(reason, note)).toBe(note);
  });

  it.each([
    ['Scheduled', 'Successfully assigned lease-1/web-1 to node-17', 'a node was found for the pod'],
    [
      'FailedScheduling',
      '0/9 nodes are available: 9 node(s) had untolerated taint {customer: acme}.',
      'no node has room for the pod at the moment',
    ],
    [
      'Unhealthy',
      'Readiness probe failed: Get "http://10.2.3.4:80/": dial tcp 10.2.3.4:80: connect: connection refused',
      'a probe of the container failed',
    ],
    [
      'FailedCreate',
      'Error creating: admission webhook "policy.acme.internal" denied the request: no',
      'a pod could not be created: ask the provider why',
    ],
    ['FailedMount', 'MountVolume.SetUp failed for volume "x": rpc error: node-17', 'a volume could not be mounted yet'],
    ['Evicted', 'The node was low on resource: memory. Container web of pod other-1 was using 9Gi', 'the pod was removed from its node'],
    [
      'BackOff',
      'Back-off restarting failed container web in pod web-1_lease-1(70ae08f5)',
      'the container or its image fails again and again: it is tried less and less often',
    ],
    ['Failed', 'Error: failed to create containerd task on node-17', 'the container could not be started'],
    ['Failed', 'Error: ErrImagePull', 'the image could not be pulled'],
    [
      'Failed',
      'Failed to pull image "a/b": rpc error: failed to resolve: dial tcp 10.0.0.7:443: i/o timeout',
      'the image a/b could not be pulled: its registry cannot be reached',
    ],
    ['Failed', 'Failed to pull image "a/b": something of node-17', 'the image a/b could not be pulled'],
    ['OtherReason', 'node-17 at 10.0.0.7', ''],
    ['constructor', 'node-17', ''],
    ['__proto__', 'node-17', ''],
  ])('of the reason %s says in our words what "%s" means', (reason, note, told) => {
    expect(noteOf(reason, note)).toBe(told);
  });

  it('never says what only the provider knows, wherever it stands', () => {
    const reasons = [
      'Pulling',
      'Pulled',
      'Created',
      'Started',
      'Killing',
      'ScalingReplicaSet',
      'SuccessfulCreate',
      'SuccessfulDelete',
      'Failed',
      'Scheduled',
      'Unknown',
    ];
    const canaries = [
      'node-17.dc1.acme.internal 10.0.0.7',
      'https://10.0.0.7:6443',
      'webhook "policy.acme" denied: 10.0.0.7',
      'dial tcp 10.0.0.7:443',
    ];
    const own = [
      ...[
        'Pulling image "nginx"',
        'Container image "nginx" already present on machine',
        'Created container web',
        'Container started',
        'Stopping container web',
      ],
      ...[
        'Scaled up replica set x from 0 to 2',
        'Created pod: web-1',
        'create Pod web-0 in StatefulSet web successful',
        'Failed to pull image "nginx": ',
      ],
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...reasons),
        fc.constantFrom(...own),
        fc.constantFrom(...canaries),
        fc.constantFrom('front', 'back', 'line'),
        (reason, note, canary, where) => {
          const whole = { front: `${canary} ${note}`, back: `${note} ${canary}`, line: `${note}\n${canary}` }[where];
          expect(noteOf(reason, whole)).not.toMatch(/acme|10\.0\.0\.7|node-17/);
        },
      ),
      { numRuns: 300 },
    );
  });
});
