import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type PodList, podsPath } from '../../kubernetes-view.ts';
import { ApiError } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';

/** Which pods of the cluster, and which page of them. */
export interface PodsAsked {
  /** Words that must all occur in `namespace/name`. */
  readonly search?: string | undefined;
  readonly phase?: string | undefined;
  readonly node?: string | undefined;
  /** Of the page before; none for the first. */
  readonly token?: string | undefined;
}

export interface PodsRead {
  readonly list: PodList | undefined;
  /** Whether it is about what was asked for last. */
  readonly isCurrent: boolean;
  readonly problem: ApiError | undefined;
}

/** Rows of a page of pods. */
const podPageSize = 200;

const intervalMs = 5_000;
const typingDelayMs = 300;

/** A page of pods as the API server has it, asked for again while it is in sight. What was read before stays until there is an answer. */
export function usePods({ search, phase, node, token }: PodsAsked): PodsRead {
  const query = { search, phase, node, continue: token, limit: podPageSize };
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['pods', query],
    queryFn: ({ signal }) => callApi<PodList>(podsPath, { query, signal }),
    refetchInterval: intervalMs,
    placeholderData: keepPreviousData,
  });
  return { list: data, isCurrent: data !== undefined && !isPlaceholderData, problem: error === null ? undefined : ApiError.from(error) };
}

/** The text once nobody has typed for a moment: a search reads many names. */
export function useTyped(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setTyped(text), typingDelayMs);
    return () => window.clearTimeout(timer);
  }, [text]);
  return typed;
}
