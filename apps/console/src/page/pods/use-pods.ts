import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type PodList, podsPath } from '../../kubernetes-view.ts';
import { type ApiError, problemOf } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';

/** Which pods of the cluster, and which page of them. */
export interface PodsAsked {
  /** As somebody typed it. */
  readonly filter?: string | undefined;
  readonly phase?: string | undefined;
  readonly node?: string | undefined;
  readonly offset?: number | undefined;
  /** Where an earlier answer says that there is more to look at. */
  readonly token?: string | undefined;
}

export interface PodsRead {
  readonly list: PodList | undefined;
  /** Whether it is about what was asked for last. */
  readonly isCurrent: boolean;
  /** The filter that the pods match. */
  readonly lastGood: string;
  readonly problem: ApiError | undefined;
}

/** Rows of a page of pods. */
export const podPageSize = 200;

const intervalMs = 5_000;
/** The server is busy with one looking through all pods for no more than this share of the time. */
const restFactor = 20;
const typingDelayMs = 300;

/** The newest pods that match, asked for again while they are in sight. What was read before stays until there is an answer, also when the next is refused. */
export function usePods({ filter = '', phase, node, offset, token }: PodsAsked): PodsRead {
  const query = { filter, phase, node, offset, continue: token, limit: podPageSize };
  const tookMs = useRef(0);
  const { data, error, failureReason, isPlaceholderData } = useQuery({
    queryKey: ['pods', query],
    queryFn: async ({ signal }) => {
      const begun = performance.now();
      const list = await callApi<PodList>(podsPath, { query, signal });
      tookMs.current = performance.now() - begun;
      return list;
    },
    refetchInterval: () => Math.max(intervalMs, restFactor * tookMs.current),
    placeholderData: keepPreviousData,
  });
  const isCurrent = data !== undefined && !isPlaceholderData;
  const last = useRef<{ readonly list: PodList; readonly filter: string }>(undefined);
  useEffect(() => {
    if (data !== undefined && isCurrent) last.current = { list: data, filter };
  }, [data, isCurrent, filter]);
  return {
    list: data ?? last.current?.list,
    isCurrent,
    lastGood: isCurrent ? filter : (last.current?.filter ?? ''),
    problem: problemOf(error ?? failureReason),
  };
}

/** The text once nobody has typed for a moment: the server looks through many pods. */
export function useTyped(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setTyped(text), typingDelayMs);
    return () => window.clearTimeout(timer);
  }, [text]);
  return typed;
}
