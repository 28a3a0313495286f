import { useEffect, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { requestApi } from '../api/call-api.ts';
import { emptyLog, type LogText, withText } from './log-text.ts';
import { type PodRef, podPath } from './use-pod.ts';

export interface LogAsked extends PodRef {
  readonly container: string;
  /** Whether new lines are waited for. */
  readonly isFollowed: boolean;
  /** That of the container before its last restart. */
  readonly isPrevious: boolean;
  /** Another one reads it again. */
  readonly attempt: number;
}

export interface PodLogState extends LogText {
  readonly state: 'reading' | 'ended' | 'failed';
  readonly problem?: string | undefined;
}

/** Lines from the end of the log to begin with. */
const tailLines = 500;

/** The log of a container, as it comes. Another question begins anew. */
export function usePodLog({ namespace, name, container, isFollowed, isPrevious, attempt }: LogAsked): PodLogState {
  const [log, setLog] = useState<PodLogState>({ ...emptyLog, state: 'reading' });
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    setLog({ ...emptyLog, state: 'reading' });
    const query = { container, follow: isFollowed && !isPrevious, previous: isPrevious, tailLines };
    const read = async (): Promise<void> => {
      const answer = await requestApi(`${podPath({ namespace, name })}/log`, { query, accept: 'text/plain', signal });
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
        const { value } = part;
        setLog((before) => ({ ...before, ...withText(before, value) }));
      }
    };
    read().then(
      () => {
        if (!signal.aborted) setLog((before) => ({ ...before, state: 'ended' }));
      },
      (thrown: unknown) => {
        if (!signal.aborted) setLog((before) => ({ ...before, state: 'failed', problem: ApiError.from(thrown).message }));
      },
    );
    return () => ending.abort();
  }, [namespace, name, container, isFollowed, isPrevious, attempt]);
  return log;
}
