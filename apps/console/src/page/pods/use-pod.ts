import { useQuery } from '@tanstack/react-query';
import { type PodDetail, podsPath } from '../../kubernetes-view.ts';
import { type ApiError, problemOf } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';

/** Which pod. */
export interface PodRef {
  readonly namespace: string;
  readonly name: string;
}

export interface PodRead {
  /** As it was last seen: it stays when the pod is gone. */
  readonly pod: PodDetail | undefined;
  readonly problem: ApiError | undefined;
}

const intervalMs = 3_000;

export const podPath = ({ namespace, name }: PodRef): string => `${podsPath}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;

/** One pod as the API server has it, asked for again while it is in sight. */
export function usePod(ref: PodRef): PodRead {
  const path = podPath(ref);
  const { data, error, failureReason } = useQuery({
    queryKey: ['pod', path],
    queryFn: ({ signal }) => callApi<PodDetail>(path, { signal }),
    refetchInterval: intervalMs,
  });
  return { pod: data, problem: problemOf(error ?? failureReason) };
}
