import type { ManifestService } from '@quartermaster/api/lease-manifest';
import { minReadySeconds } from '../objects/workload.ts';
import type {
  HealthInput,
  HealthProblem,
  LeaseHealthReport,
  NodeSight,
  SeenClaim,
  SeenLeasePod,
  SeenWorkload,
  ServiceHealth,
} from './lease-health.ts';
import { hasEnded, isLasting, isOutOfSight, podProblem } from './pod-problem.ts';
import { firstWords } from './told-text.ts';

/*
 * A lease is `unhealthy`, which closes it in the end, only where all that matters is seen: a replica lacks, and somebody can say why. What is not seen makes it
 * `unknown`, whatever else is wrong. Until it has run once it is `starting`, unless something is wrong that will not go by itself or it is
 * late.
 */

type State = LeaseHealthReport['state'];

/** The first that any service is in is that of the lease. */
const byWeight: readonly State[] = ['unknown', 'unhealthy', 'starting'];

export function judgeLease(input: HealthInput): LeaseHealthReport {
  const claims = new Map(input.claims.map((claim) => [claim.name, claim]));
  const pods = Map.groupBy(input.pods, ({ service }) => service);
  const services = input.group.services.map((service) => judgeService(service, pods.get(service.name) ?? [], claims, input));
  return { state: byWeight.find((state) => services.some((service) => service.state === state)) ?? 'healthy', services };
}

function judgeService(
  service: ManifestService,
  pods: readonly SeenLeasePod[],
  claims: ReadonlyMap<string, SeenClaim>,
  { workloads, isNodeSeen, blind, hasRun, isLate }: HealthInput,
): ServiceHealth {
  const { name, count } = service;
  const workload = workloadOf(service, workloads);
  const { available = 0, ready = 0, updated = 0 } = workload ?? {};
  const figures = { service: name, count, available, ready, updated };
  if (blind !== undefined) return { ...figures, state: 'unknown', problems: [notSeen(name, blind)] };
  const around = { service, claims, isNodeSeen };
  const problemsOf = (some: readonly SeenLeasePod[]) => some.map((pod) => podProblem(pod, around)).filter((each) => each !== undefined);
  const replicas = replicasOf(pods, count, isNodeSeen);
  // A new manifest runs once all replicas are of it; later, replicas that are replaced are no less there.
  const isComplete = workload?.isObserved === true && available >= count && (hasRun || updated >= count);
  const inSight = replicas.filter((pod) => !isOutOfSight(pod, isNodeSeen));
  const isSeen = inSight.length === replicas.length;
  // Figures that count a silent node's pods may be old. What it has on the others may be enough by itself.
  const isCertain = isSeen || inSight.filter(({ isReady }) => isReady).length >= count;
  if (isComplete && isCertain) return { ...figures, state: 'healthy', problems: merged(problemsOf(replicas).filter(isLasting)) };
  const found = problemsOf([...replicas, ...recentEnds(pods)]);
  const problems = found.length > 0 ? merged(found) : [missingReplicas({ ...figures, present: replicas.length }, workload, pods)];
  // Pods without what makes them: whoever does not show the one may not show the other.
  if (!isSeen || (workload === undefined && replicas.length > 0)) return { ...figures, state: 'unknown', problems };
  if (found.some(isLasting)) return { ...figures, state: 'unhealthy', problems };
  if (!hasRun && !isLate) return { ...figures, state: 'starting', problems };
  // Its controller has not looked at it: what it says is of another version.
  return { ...figures, state: workload?.isObserved === false ? 'unknown' : 'unhealthy', problems };
}

/** While one kind takes the place of the other, there are two of a service. */
function workloadOf({ name, resources }: ManifestService, workloads: readonly SeenWorkload[]): SeenWorkload | undefined {
  const kind = resources.volumes.some((volume) => volume.kind === 'persistent') ? 'StatefulSet' : 'Deployment';
  const own = workloads.filter(({ service }) => service === name);
  return own.find((workload) => workload.kind === kind) ?? own[0];
}

/**
 * The pods that are its replicas. One that is being deleted on a silent node is still one, unless others are there instead of it: nobody can say that it has stopped, and a
 * StatefulSet makes no other before that.
 */
function replicasOf(pods: readonly SeenLeasePod[], count: number, isNodeSeen: NodeSight): readonly SeenLeasePod[] {
  const living = pods.filter((pod) => !pod.isDeleting && !hasEnded(pod));
  if (living.length >= count) return living;
  return [...living, ...pods.filter((pod) => pod.isDeleting && isOutOfSight(pod, isNodeSeen))];
}

/** How replicas have ended that nothing has become of yet. Those whose successor was ready are history, however long they are kept. */
function recentEnds(pods: readonly SeenLeasePod[]): readonly SeenLeasePod[] {
  const lastReady = Math.max(...pods.filter(({ isReady }) => isReady).map(({ createdAt }) => createdAt));
  return pods.filter((pod) => hasEnded(pod) && !pod.isDeleting && pod.createdAt > lastReady);
}

/** One of each code, with how many pods it is true of. */
function merged(problems: readonly HealthProblem[]): readonly HealthProblem[] {
  return [...Map.groupBy(problems, ({ code }) => code).values()].flatMap((alike) => {
    const [first, ...others] = alike.toSorted((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0));
    if (first === undefined) return [];
    return others.length === 0 ? [first] : [{ ...first, message: `${first.message} ${alike.length} pods are affected.` }];
  });
}

function notSeen(service: string, why: string): HealthProblem {
  const message = `Its state is unknown: ${firstWords(why).replace(/[.\s]+$/, '')}. It is not counted as failed.`;
  return { code: 'NotSeen', message, subject: service };
}

/** Where nothing is wrong with any pod: those that are present are ready. */
interface ReplicaFigures extends Pick<ServiceHealth, 'service' | 'count' | 'available' | 'updated'> {
  readonly present: number;
}

function missingReplicas(figures: ReplicaFigures, workload: SeenWorkload | undefined, pods: readonly SeenLeasePod[]): HealthProblem {
  const { service: subject } = figures;
  if (workload === undefined) return { code: 'NotReady', message: 'It has not been created yet.', subject };
  const { kind, failure, isObserved } = workload;
  const isQuota = failure !== undefined && /exceeded quota/i.test(failure);
  if (isQuota && pods.some(({ isDeleting }) => isDeleting))
    return { code: 'NotReady', message: 'A replica is stopping, and the next one is created once it is gone.', subject };
  if (failure !== undefined) {
    const why = isQuota ? 'the quota of its namespace is used up' : 'the cluster refuses them';
    const message = `Its pods cannot be created: ${why}. Contact the provider.`;
    return { code: isQuota ? 'QuotaExceeded' : 'NotReady', message, subject, cause: firstWords(failure) };
  }
  const message = isObserved ? replicasText(figures) : `Kubernetes has not processed the latest version of its ${kind} yet.`;
  return { code: 'NotReady', message, subject };
}

function replicasText({ count, available, updated, present }: ReplicaFigures): string {
  const former = count - updated;
  if (available >= count)
    return count === 1
      ? 'Its replica is of the previous version, and is being replaced.'
      : `${former} of its ${count} replicas ${isOrAre(former)} of the previous version, and ${isOrAre(former)} replaced one after another.`;
  const ready = Math.min(present, count) - available;
  const missing = count - Math.max(present, available);
  const whenReady =
    ready === 1
      ? `and becomes available once it has been ready for ${minReadySeconds} s`
      : `and become available once they have been ready for ${minReadySeconds} s`;
  if (count === 1) return ready > 0 ? `Its replica is ready, ${whenReady}.` : 'Its replica is being created.';
  const others = [
    ...(ready > 0 ? [`${ready} ${isOrAre(ready)} ready, ${whenReady}`] : []),
    ...(missing > 0 ? [`${missing} ${isOrAre(missing)} being created`] : []),
  ];
  return `${[`${available} of its ${count} replicas ${isOrAre(available)} available`, ...others].join('; ')}.`;
}

const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are');
