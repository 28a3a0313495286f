import type { GetStatusResponseJson } from '@quartermaster/api/cluster';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ApiError, problemOf, problemText } from '../api/api-error.ts';
import { type ApiCall, callApi } from '../api/call-api.ts';
import { useNow } from '../live/use-live.ts';
import { useSession } from '../session/session.ts';

/** Where the console passes on to the cluster service. */
export const clusterServicePath = '/api/cluster/v1';

/** Begins the key of everything that it was asked. */
export const serviceKey = 'cluster service';

/** Of the service. */
export const statusPath = '/status';

/** What the cluster service said last, and what is wrong with asking it now: both may be there. */
export interface Polled<T> {
  readonly data: T | undefined;
  /** Whether it is about what was asked for last. */
  readonly isCurrent: boolean;
  /** When it was said, in milliseconds since the epoch; 0 before. */
  readonly answeredAt: number;
  readonly problem: ApiError | undefined;
}

const intervalMs = 5_000;
/** Past it what was said is not believed any more. */
const believedMs = 30_000;

interface PolledOptions {
  readonly call?: Omit<ApiCall, 'signal'> | undefined;
  readonly isWanted?: boolean | undefined;
  readonly everyMs?: number | undefined;
}

/** Asks again and again while it is in sight: the service has no watch. What was said before stays until there is an answer. */
export function usePolled<T>(path: string, { call = {}, isWanted = true, everyMs = intervalMs }: PolledOptions = {}): Polled<T> {
  const { hasClusterService } = useSession();
  const { data, dataUpdatedAt, error, failureReason, isPlaceholderData } = useQuery({
    queryKey: [serviceKey, path, call],
    queryFn: ({ signal }) => callApi<T>(`${clusterServicePath}${path}`, { ...call, signal }),
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
    enabled: hasClusterService && isWanted,
  });
  return {
    data,
    isCurrent: data !== undefined && !isPlaceholderData,
    answeredAt: dataUpdatedAt,
    problem: problemOf(error ?? failureReason),
  };
}

/** Why the cluster service does not answer, as sentences for a person. */
export const serviceProblem = (problem: ApiError): string => problemText(problem, 'cluster service');

const isRefusal = (problem: ApiError | undefined): boolean => problem?.code === 'permission_denied' || problem?.code === 'unauthenticated';

export interface ClusterAccess {
  /** Whether there is something to show: the console has a cluster service, and it does not turn the caller away. */
  readonly isShown: boolean;
  /** What it takes the caller for; undefined while it has not said. */
  readonly role: string | undefined;
}

/** Who the cluster service takes the caller for. */
export function useClusterAccess(): ClusterAccess {
  const { hasClusterService } = useSession();
  const { data, problem } = usePolled<{ readonly role?: string }>('/session', { everyMs: believedMs });
  return { isShown: hasClusterService && !isRefusal(problem), role: data?.role };
}

/** Why the caller may not give reservations back; undefined for those who may. */
export function unreserveObstacle({ role }: ClusterAccess): string | undefined {
  if (role === undefined) return 'The cluster service has not reported your role yet.';
  return role === 'admin' ? undefined : `Only the role admin may give a reservation back; your role at the cluster service is ${role}.`;
}

export interface KnownStatus {
  /** As it was said last. */
  readonly status: GetStatusResponseJson | undefined;
  /** Why it is not known now, as a sentence; undefined while it is. What was said within the last 30 s is. */
  readonly why: string | undefined;
  /** Whether it was asked for the first time, and may answer any moment. */
  readonly isWaiting: boolean;
}

/** What the cluster service has promised, and of what. */
export function useClusterStatus(): KnownStatus {
  const { data: status, answeredAt, problem } = usePolled<GetStatusResponseJson>(statusPath);
  const isBelieved = useBelieved(answeredAt);
  if (status !== undefined && (problem === undefined || isBelieved)) return { status, why: undefined, isWaiting: false };
  if (problem === undefined) return { status, why: 'The cluster service has not answered yet.', isWaiting: true };
  return { status, why: serviceProblem(problem), isWaiting: false };
}

/** Whether what was said then still counts; drawn again every second. By the clock of the browser, which is the one that noted it. */
function useBelieved(answeredAt: number): boolean {
  useNow();
  return Date.now() - answeredAt < believedMs;
}
