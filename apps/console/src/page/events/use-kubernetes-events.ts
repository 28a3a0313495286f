import { useQuery } from '@tanstack/react-query';
import { type EventList, eventsPath } from '../../kubernetes-view.ts';
import { type ApiError, problemOf } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { useInstallation } from '../upstreams/use-installation.ts';

/** What Kubernetes Events are about; those of everything unless something is given. */
export interface EventsOf {
  readonly kind?: 'Node' | 'Pod' | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export interface EventsRead {
  /** Undefined before the first answer, and where the console reads no Kubernetes. */
  readonly list: EventList | undefined;
  readonly problem: ApiError | undefined;
}

const intervalMs = 5_000;
const mostShown = 500;

/** The newest Events that the cluster has, asked for again while they are in sight. */
export function useKubernetesEvents(of: EventsOf, options: { readonly isWanted?: boolean } = {}): EventsRead {
  const isRead = useInstallation()?.kubernetes === true;
  const query = { ...of, limit: mostShown };
  const { data, error, failureReason } = useQuery({
    queryKey: ['kubernetes-events', query],
    queryFn: ({ signal }) => callApi<EventList>(eventsPath, { query, signal }),
    refetchInterval: intervalMs,
    enabled: isRead && (options.isWanted ?? true),
  });
  return { list: data, problem: problemOf(error ?? failureReason) };
}
