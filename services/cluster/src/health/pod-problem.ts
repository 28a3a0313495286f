import type { ManifestService } from '@quartermaster/api/lease-manifest';
import { amountText } from '@quartermaster/api/states';
import { limitCause, pullCause, shortResource, startCause } from './known-causes.ts';
import type { HealthProblem, NodeSight, SeenClaim, SeenLeasePod } from './lease-health.ts';
import { firstWords } from './told-text.ts';

/** All that a pod's problem is told by. */
export interface PodSurroundings {
  readonly service: ManifestService;
  /** By name. */
  readonly claims: ReadonlyMap<string, SeenClaim>;
  readonly isNodeSeen: NodeSight;
}

/** It will not go by itself: whoever waits, waits in vain. */
const lasting: ReadonlySet<string> = new Set(['ImagePullFailed', 'CrashLoop', 'OutOfMemory', 'VolumeFull', 'Unschedulable']);
export const isLasting = ({ code }: Pick<HealthProblem, 'code'>): boolean => lasting.has(code);

/** It has ended, and never starts again. */
export const hasEnded = ({ phase }: Pick<SeenLeasePod, 'phase'>): boolean => phase === 'Failed' || phase === 'Succeeded';

/** Nobody can say how it is: it runs, or is to run, on a node that nobody hears of, or is to run on one that the provider holds back. */
export function isOutOfSight(pod: SeenLeasePod, isNodeSeen: NodeSight): boolean {
  if (hasEnded(pod)) return false;
  return pod.node === '' ? pod.assignedTo !== '' && !isNodeSeen(pod.assignedTo, 'is-to-run') : !isNodeSeen(pod.node, 'runs');
}

const pullFailures: ReadonlySet<string> = new Set([
  ...['ImagePullBackOff', 'ErrImagePull', 'InvalidImageName'],
  ...['ErrImageNeverPull', 'ImageInspectError', 'RegistryUnavailable'],
]);
const overLimit = /exceed(?:s|ed) (?:its local ephemeral storage|the (?:total )?limit)/i;
const noSpace = /no space left on device|\bENOSPC\b|disk quota exceeded/i;
const unbound = /persistentvolumeclaim/i;

/** Restarts after which a container that is up and not ready is taken to be between two crashes: it would else look well each time it is tried again. */
const crashLoopRestarts = 2;

/** What is wrong with a pod, the deepest cause of it; undefined: nothing. */
export function podProblem(pod: SeenLeasePod, around: PodSurroundings): HealthProblem | undefined {
  const told = tellProblem(pod, around);
  return told && { ...told, subject: pod.name };
}

type Told = Omit<HealthProblem, 'subject'>;

function tellProblem(pod: SeenLeasePod, around: PodSurroundings): Told | undefined {
  if (isOutOfSight(pod, around.isNodeSeen)) return nodeSilent(pod);
  if (hasEnded(pod)) return ending(pod, around);
  if (pod.isReady) return undefined;
  if (pod.isGated) {
    const message = 'It is waiting for the provider to assign a node. No action is needed.';
    return { code: 'WaitingForPlace', message };
  }
  return unplaced(pod, around) ?? failing(pod, around) ?? volumePending(pod, around) ?? starting(pod);
}

function nodeSilent({ node, assignedTo }: SeenLeasePod): Told {
  const message =
    node === ''
      ? `It is assigned to the node ${assignedTo}, which is unavailable or held back by the provider: it starts when the node is available again, and is not counted as failed.`
      : `It runs on the node ${node}, which is not responding: its state is unknown, and it is not counted as failed.`;
  return { code: 'NodeSilent', message };
}

function ending({ phase, reason, message, lastEnd }: SeenLeasePod, { service }: PodSurroundings): Told {
  const cause = causeOf(message);
  if (reason === 'Evicted' && overLimit.test(message)) return ephemeralFull(service, message);
  if (reason === 'Evicted') {
    const told = `It was removed from its node, which ran short of ${shortResource(message) ?? 'a resource'}. It will be replaced.`;
    return { code: 'Evicted', message: told, cause };
  }
  if (noSpace.test(lastEnd?.message ?? '')) return volumeFull(service);
  const how = reason === '' ? exitWords(lastEnd) : firstWords(reason);
  return { code: 'NotReady', message: `It has ended (${phase}${how === '' ? '' : `: ${how}`}). It will be replaced.`, cause };
}

function unplaced({ unschedulable, assignedTo, claims }: SeenLeasePod, around: PodSurroundings): Told | undefined {
  if (unschedulable === '') return undefined;
  const cause = causeOf(unschedulable);
  const isAboutVolumes = unbound.test(unschedulable) && claims.some((name) => around.claims.get(name)?.phase !== 'Bound');
  if (isAboutVolumes) {
    const message = "It is waiting for its volumes. It starts once the provider's storage has created them.";
    return { code: 'VolumePending', message, cause };
  }
  const where = assignedTo === '' ? '' : ` on the node ${assignedTo}, to which it is assigned`;
  const wayOut = 'It starts once the provider makes room; to run it elsewhere, close the deployment and deploy again.';
  return { code: 'Unschedulable', message: `It does not fit${where}. ${wayOut}`, cause };
}

function failing(pod: SeenLeasePod, { service }: PodSurroundings): Told | undefined {
  const { waiting, lastEnd, restarts } = pod;
  if (waiting !== undefined && pullFailures.has(waiting.reason)) {
    const why = pullCause(waiting.message, service.image) ?? waiting.reason;
    const wayOut = 'Correct its name or tag, or give the credentials of its registry, and update the deployment.';
    const message = `The image ${firstWords(service.image)} cannot be pulled: ${why}. ${wayOut}`;
    return { code: 'ImagePullFailed', message, cause: causeOf(waiting.message) };
  }
  const isHeldBack = waiting?.reason === 'CrashLoopBackOff';
  // While it waits for something else, how it ended before is not why.
  if (!isHeldBack && (waiting !== undefined || lastEnd === undefined)) return undefined;
  if (noSpace.test(lastEnd?.message ?? '')) return volumeFull(service);
  if (lastEnd?.reason === 'OOMKilled') return outOfMemory(service, restarts);
  return isHeldBack || restarts >= crashLoopRestarts ? crashLoop(pod) : undefined;
}

function outOfMemory({ resources: { memoryBytes } }: ManifestService, restarts: number): Told {
  const often = restarts === 0 ? '' : ` It was restarted ${timesText(restarts)}.`;
  const wayOut = 'Reduce its memory use; a higher limit requires a new deployment.';
  const message = `Its container was killed for using more memory than its ${amountText('memory', memoryBytes)}.${often} ${wayOut}`;
  return { code: 'OutOfMemory', message };
}

function crashLoop({ restarts, lastEnd }: SeenLeasePod): Told {
  const known = lastEnd !== undefined && neverStarted.has(lastEnd.reason) ? startCause(lastEnd.message) : undefined;
  const last = lastEnd === undefined ? '' : `, last with ${exitWords(lastEnd)}${known === undefined ? '' : `: ${known}`}`;
  // What it printed last is not told: it may be what was given to it in secret, and others than the tenant read this.
  const wayOut = 'Correct its image, command or environment, and update the deployment.';
  return { code: 'CrashLoop', message: `Its container keeps exiting (${timesText(restarts)} so far${last}). ${wayOut}` };
}

/** Its message is then the runtime's, and nothing that the container printed. */
const neverStarted: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun']);

const exitWords = (end: SeenLeasePod['lastEnd']): string =>
  end === undefined ? '' : `exit code ${end.exitCode}${end.reason === '' || end.reason === 'Error' ? '' : `, ${firstWords(end.reason)}`}`;

function ephemeralFull({ resources: { volumes } }: ManifestService, said: string): Told {
  const size = volumes.find(({ kind }) => kind === 'ephemeral')?.bytes;
  const room = size === undefined ? 'it is allowed to' : `its ${amountText('ephemeral-storage', size)} of ephemeral storage`;
  const wayOut = 'Reduce what it writes, or write to a persistent volume; more storage requires a new deployment.';
  const known = limitCause(said);
  const why = known === undefined ? '.' : `: ${sentence(known)}`;
  const message = `It wrote more than ${room}, and was stopped${why} ${wayOut}`;
  return { code: 'VolumeFull', message, cause: known === undefined ? causeOf(said) : undefined };
}

function volumeFull({ resources: { volumes } }: ManifestService): Told {
  const named = volumes.filter(({ kind }) => kind === 'persistent').map(({ name, bytes }) => `${name} of ${amountText('memory', bytes)}`);
  const which =
    named.length === 0 ? 'A volume' : named.length === 1 ? `Its volume, ${named[0]},` : `One of its volumes (${named.join(', ')})`;
  const message = `${which} is full: its container exited because no space was left. Remove data; a larger volume requires a new deployment.`;
  return { code: 'VolumeFull', message };
}

function volumePending({ claims, node }: SeenLeasePod, around: PodSurroundings): Told | undefined {
  const missing = claims.map((name) => ({ name, claim: around.claims.get(name) })).find(({ claim }) => claim?.phase !== 'Bound');
  if (missing === undefined) return undefined;
  const { name, claim } = missing;
  if (claim?.phase === 'Lost') {
    const message = `The storage of its volume ${name} is gone, and its data may be lost. Contact the provider.`;
    return { code: 'VolumePending', message };
  }
  // Before it has a node, nobody makes a volume that is a node's own.
  if (node === '') return undefined;
  const by = claim === undefined || claim.storageClass === '' ? '' : ` by the storage class ${claim.storageClass}`;
  return { code: 'VolumePending', message: `Its volume ${name} is still being provisioned${by}.` };
}

/** In the course of things, as far as anybody can see. */
const ordinary: ReadonlySet<string> = new Set(['', 'ContainerCreating', 'PodInitializing', 'CrashLoopBackOff']);

function starting({ node, waiting, phase }: SeenLeasePod): Told {
  if (node === '') return { code: 'NotReady', message: 'It is being scheduled.' };
  if (waiting !== undefined && !ordinary.has(waiting.reason)) {
    const known = startCause(waiting.message);
    const why = known === undefined ? '' : `: ${known}`;
    const message = `Its container cannot be started yet (${firstWords(waiting.reason)}${why}).`;
    return { code: 'NotReady', message, cause: causeOf(waiting.message) };
  }
  const isUp = waiting === undefined && phase === 'Running';
  return {
    code: 'NotReady',
    message: isUp ? 'It is running, but not ready yet.' : 'Its image is being pulled, or its container is being created.',
  };
}

const timesText = (times: number): string => (times === 1 ? 'once' : `${times} times`);

const causeOf = (said: string): string | undefined => (said === '' ? undefined : sentence(said));

/** With one full stop at its end, whoever wrote it. */
const sentence = (text: string): string => `${firstWords(text).replace(/[.\s]+$/, '')}.`;
