/*
 * Events of Kubernetes, in words that a tenant may read. Those who write them name nodes, addresses, other pods and what admission webhooks say. So what a reason is known to
 * say of the tenant's own objects alone is passed on, and of everything else the reason, with a sentence of ours.
 */
import { pullCause } from '../../health/known-causes.ts';

/** An event, as far as it is read. */
export interface SeenEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly controller: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** When it was last seen, wall clock, milliseconds. */
  readonly at: number;
}

/** In the form of the ecosystem. */
export interface TenantEvent {
  readonly type: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly reason: string;
  readonly note: string;
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
}

/** Reasons whose notes name nothing but what the manifest has: images, containers, numbers of replicas. */
const ownNotes: ReadonlyMap<string, RegExp> = new Map([
  ['Pulling', /^Pulling image "[^"]*"$/],
  [
    'Pulled',
    /^(?:Successfully pulled image "[^"]*" in [\w.]+(?: \([\w. ]+\))?(?:\. Image size: \d+ bytes)?\.?|Container image "[^"]*" already present on machine(?: and can be accessed by the pod)?|Image "[^"]*" is on the simulated node)$/,
  ],
  ['Created', /^(?:Created container:? [\w-]+|Container created)$/],
  ['Started', /^(?:Started container:? [\w-]+|Container started)$/],
  ['Killing', /^(?:Stopping container [\w-]+|Container [\w-]+ failed (?:liveness|startup) probe, will be restarted)$/],
  ['ScalingReplicaSet', /^Scaled (?:up|down) replica set [\w.-]+ (?:from \d+ )?to \d+(?: from \d+)?$/],
  ['SuccessfulCreate', /^(?:Created pod: [\w.-]+|create (?:Claim [\w.-]+ )?Pod [\w.-]+ in StatefulSet [\w.-]+ success(?:ful)?)$/],
  ['SuccessfulDelete', /^(?:Deleted pod: [\w.-]+|delete (?:Claim [\w.-]+ )?Pod [\w.-]+ in StatefulSet [\w.-]+ success(?:ful)?)$/],
]);

/** What the others mean. */
const ourWords: ReadonlyMap<string, string> = new Map([
  ['Scheduled', 'a node was found for the pod'],
  ['FailedScheduling', 'no node has room for the pod at the moment'],
  ['BackOff', 'the container or its image fails again and again: it is tried less and less often'],
  ['Failed', 'the container could not be started'],
  ['Unhealthy', 'a probe of the container failed'],
  ['Evicted', 'the pod was removed from its node'],
  ['FailedMount', 'a volume could not be mounted yet'],
  ['FailedAttachVolume', 'a volume could not be attached yet'],
  ['FailedCreate', 'a pod could not be created: ask the provider why'],
  ['FailedBinding', 'a volume could not be provided yet'],
  ['ProvisioningFailed', 'a volume could not be provided yet'],
  ['WaitForFirstConsumer', 'the volume waits for its pod'],
  ['Provisioning', 'the volume is being made'],
  ['ProvisioningSucceeded', 'the volume was made'],
  ['NodeNotReady', 'the node of the pod is not ready'],
  ['TaintManagerEviction', 'the pod is being removed from its node'],
]);

/** Of Kubernetes itself. Others are named after the nodes and pods that they run in. */
const controllers = new Set([
  'kubelet',
  'default-scheduler',
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'persistentvolume-controller',
  'attachdetach-controller',
  'node-controller',
  'taint-eviction-controller',
]);

/** Kinds of objects that a lease has. Events of others in its namespace are not its tenant's. */
const kinds = new Set(['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'PersistentVolumeClaim', 'Service']);

export function tenantEvent({ type, reason, note, controller, kind, namespace, name }: SeenEvent): TenantEvent | undefined {
  if (!kinds.has(kind)) return undefined;
  const told = ownNotes.get(reason)?.test(note) === true ? note : (pullText(reason, note) ?? ourWords.get(reason) ?? '');
  const reportingController = controllers.has(controller) ? controller : '';
  return { type, reportingController, reportingInstance: '', reason, note: told, object: { kind, namespace, name } };
}

function pullText(reason: string, note: string): string | undefined {
  if (reason !== 'Failed') return undefined;
  const image = /^(?:Error: )?Failed to pull image "([^"]*)"/.exec(note)?.[1];
  if (image === undefined) return /^Error: (?:ErrImagePull|ImagePullBackOff)$/.test(note) ? 'the image could not be pulled' : undefined;
  const why = pullCause(note, image);
  return `the image ${image} could not be pulled${why === undefined ? '' : `: ${why}`}`;
}
