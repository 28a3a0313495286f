import type { SearchAnswer, SearchHit } from '@quartermaster/api/inventory-views';
import { useEffect, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { searchObjects } from '../api/search-objects.ts';
import { type Session, useSession } from '../session/session.ts';

export type SearchResult =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'found'; readonly text: string; readonly hits: readonly SearchHit[] }
  | { readonly kind: 'failed'; readonly problem: string };

/** A pause in typing: what is asked in the middle of a word is worth nothing a moment later. */
const typingDelayMs = 80;

const searchPath = '/api/inventory/v1/search';
const maxHits = 12;

/** Asks both servers what the text names: the inventory, and the fulfillment service. An answer that was overtaken by another question is dropped. */
export function useSearch(text: string): SearchResult {
  const session = useSession();
  const [result, setResult] = useState<SearchResult>({ kind: 'waiting' });
  useEffect(() => {
    if (text === '') return;
    const overtaken = new AbortController();
    const timer = setTimeout(() => void ask(session, text, overtaken.signal).then((answer) => answer && setResult(answer)), typingDelayMs);
    return () => {
      clearTimeout(timer);
      overtaken.abort();
    };
  }, [session, text]);
  return text === '' ? { kind: 'waiting' } : result;
}

async function ask(session: Session, text: string, signal: AbortSignal): Promise<SearchResult | undefined> {
  const answers = await Promise.allSettled([
    session.isStaff
      ? callApi<Partial<SearchAnswer>>(searchPath, { query: { query: text, page_size: maxHits }, signal }).then(({ hits = [] }) => hits)
      : [],
    searchObjects(session, text, signal),
  ]);
  if (signal.aborted) return undefined;
  const hits = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (hits.length === 0 && failed !== undefined) return { kind: 'failed', problem: ApiError.from(failed.reason).message };
  return { kind: 'found', text, hits };
}
