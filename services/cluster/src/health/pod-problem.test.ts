import { describe, expect, it } from 'vitest';
import { leasePodOf, leaseServiceOf } from '../../test/seen-lease.ts';
import type { NodeSight, SeenClaim, SeenLeasePod } from './lease-health.ts';
import { isLasting, isOutOfSight, podProblem } from './pod-problem.ts';

const claim = (phase: string): SeenClaim => ({ name: 'data', phase, storageClass: 'beta1', bytes: 1, node: '' });
const isHeard: NodeSight = () => true;
const isSilent: NodeSight = () => false;

const codeOf = (changed: Partial<SeenLeasePod>, claims: readonly SeenClaim[] = [], isNodeSeen = isHeard): string | undefined =>
  podProblem(leasePodOf('web-1', changed), {
    ...{ service: leaseServiceOf('web'), isNodeSeen },
    claims: new Map(claims.map((each) => [each.name, each])),
  })?.code;

const waitingFor = (reason: string): Partial<SeenLeasePod> => ({ isReady: false, phase: 'Pending', waiting: { reason, message: '' } });
const lastSaid = (message: string): Partial<SeenLeasePod> => ({ isReady: false, lastEnd: { reason: 'Error', exitCode: 1, message } });

describe('what is wrong with a pod', () => {
  it.each(['ImagePullBackOff', 'ErrImagePull', 'InvalidImageName', 'ErrImageNeverPull', 'ImageInspectError', 'RegistryUnavailable'])(
    'is its image where the kubelet says %s',
    (reason) => {
      expect(codeOf(waitingFor(reason))).toBe('ImagePullFailed');
    },
  );

  it.each([
    ['write /data/x: no space left on device', 'VolumeFull'],
    ['Error: ENOSPC, write', 'VolumeFull'],
    ['cp: error writing: Disk quota exceeded', 'VolumeFull'],
    ['QUENOSPCX', 'CrashLoop'],
    ['panic: nil', 'CrashLoop'],
  ])('is a full volume where its container says so: %s', (message, code) => {
    const between = { ...lastSaid(message), restarts: 2 };
    expect(codeOf(between)).toBe(code);
    expect(codeOf({ ...between, ...waitingFor('CrashLoopBackOff') })).toBe(code);
    // A pod that has ended for good is replaced: its crash is no loop.
    expect(codeOf({ ...lastSaid(message), phase: 'Failed' })).toBe(code === 'CrashLoop' ? 'NotReady' : code);
  });

  it.each([
    ['not bound', claim('Pending'), 'VolumePending'],
    ['gone', undefined, 'VolumePending'],
    ['bound', claim('Bound'), 'Unschedulable'],
  ] as const)('is its place, unless a volume of it is %s', (_what, seen, code) => {
    const unschedulable = '0/3 nodes are available: persistentvolumeclaim "data" is in another zone';
    const pod = { isReady: false, node: '', assignedTo: 'n-1', claims: ['data'], unschedulable };
    expect(codeOf(pod, seen === undefined ? [] : [seen])).toBe(code);
    expect(codeOf({ ...pod, unschedulable: '0/3 nodes are available' }, seen === undefined ? [] : [seen])).toBe('Unschedulable');
  });

  it('is not known on a node that nobody hears of, unless the pod has ended', () => {
    const evicted = { phase: 'Failed', isReady: false, reason: 'Evicted' };
    for (const [pod, expected] of [
      [{}, 'NodeSilent'],
      [{ node: '', assignedTo: 'n-1', isReady: false }, 'NodeSilent'],
      [evicted, 'Evicted'],
      [{ ...evicted, phase: 'Succeeded', reason: '' }, 'NotReady'],
    ] as const) {
      expect(codeOf(pod, [], isSilent)).toBe(expected);
      expect(isOutOfSight(leasePodOf('web-1', pod), isSilent)).toBe(expected === 'NodeSilent');
    }
    expect(isOutOfSight(leasePodOf('web-1', { node: '', assignedTo: '' }), isSilent)).toBe(false);
  });

  it.each([
    ['pull access denied, repository does not exist or may require authorization', 'its registry denies access to it'],
    ['failed to resolve reference "x:1": x:1: not found', 'its registry does not have it'],
    ['429 Too Many Requests - toomanyrequests: slow down', 'its registry allows no more requests at the moment'],
    ['dial tcp: lookup registry.invalid: no such host', 'its registry cannot be reached'],
    ['dial tcp 10.0.0.5:5000: connect: connection refused', 'its registry cannot be reached'],
    ['tls: failed to verify certificate: x509: unknown authority', 'the certificate of its registry is not trusted'],
    ['no match for platform in manifest', 'it is not made for the processor of the node'],
    ['something else', 'ErrImagePull'],
  ])('is an image that cannot be pulled, and why as far as it is known: %s', (message, why) => {
    const pod = leasePodOf('web-1', { isReady: false, phase: 'Pending', waiting: { reason: 'ErrImagePull', message } });
    const problem = podProblem(pod, { service: leaseServiceOf('web'), isNodeSeen: isHeard, claims: new Map() });
    expect(problem?.message).toMatch(/^The image \S+ cannot be pulled: /);
    expect(problem?.message).toContain(`cannot be pulled: ${why}. Correct`);
  });

  it('is no cause that stands in the name of its image alone', () => {
    const [image, reason] = ['ghcr.io/acme/certificate-denied:1', 'ImagePullBackOff'];
    const message = `Back-off pulling image "${image}"`;
    const pod = leasePodOf('web-1', { isReady: false, phase: 'Pending', waiting: { reason, message } });
    const problem = podProblem(pod, { service: leaseServiceOf('web', { image }), isNodeSeen: isHeard, claims: new Map() });
    expect(problem?.message).toContain(`cannot be pulled: ${reason}. `);
  });

  it.each([
    ['StartError', 'exec: "serve": executable file not found in $PATH', ', StartError: its command is not in its image'],
    ['ContainerCannotRun', 'exec /serve: exec format error', ', ContainerCannotRun: it is not made for the processor of the node'],
    ['Error', 'exec: "serve": not found', ''],
  ])('says of a container that never ran why, and nothing of what one printed: %s', (reason, said, why) => {
    const lastEnd = { reason, exitCode: 128, message: said };
    const pod = leasePodOf('web-1', { isReady: false, restarts: 3, lastEnd, waiting: { reason: 'CrashLoopBackOff', message: '' } });
    const problem = podProblem(pod, { service: leaseServiceOf('web'), isNodeSeen: isHeard, claims: new Map() });
    expect(problem?.message).toContain(`(3 times so far, last with exit code 128${why}). Correct`);
  });

  it.each([
    ['exec: "serve": executable file not found in $PATH: unknown', ': its command is not in its image'],
    ['exec: "/serve": stat /serve: no such file or directory: unknown', ': its command is not in its image'],
    ['exec: "/serve": permission denied: unknown', ': its command may not be executed'],
    ['failed to mount', ''],
  ])('is a command that cannot be started: %s', (message, why) => {
    const pod = leasePodOf('web-1', { isReady: false, phase: 'Pending', waiting: { reason: 'RunContainerError', message } });
    const problem = podProblem(pod, { service: leaseServiceOf('web'), isNodeSeen: isHeard, claims: new Map() });
    expect(problem?.message).toBe(`Its container cannot be started yet (RunContainerError${why}).`);
  });

  it('is told without a size where it ordered none', () => {
    const message = 'Pod ephemeral local storage usage exceeds the total limit of containers 64Mi. ';
    const pod = leasePodOf('web-1', { phase: 'Failed', isReady: false, reason: 'Evicted', message });
    const problem = podProblem(pod, { service: leaseServiceOf('web'), isNodeSeen: isHeard, claims: new Map() });
    expect(problem?.message).toMatch(
      /^It wrote more than it is allowed to, and was stopped: Pod ephemeral .* 64Mi\. Reduce what it writes/,
    );
  });

  it('lasts where neither the cluster nor time puts it right', () => {
    const codes = ['ImagePullFailed', 'CrashLoop', 'OutOfMemory', 'VolumeFull', 'Unschedulable', 'NodeSilent', 'Evicted', 'NotReady'];
    expect(codes.filter((code) => isLasting({ code }))).toEqual(codes.slice(0, 5));
  });
});
