import type { SearchAnswer, SearchHit } from '@quartermaster/api/inventory-views';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { leaseKind, may } from '../api/object-kind.ts';
import { searchObjects, searchRank } from '../api/search-objects.ts';
import { searchPods } from '../api/search-pods.ts';
import { type KnownLeases, readLeases, searchLeases, searchMarketLeases } from '../lease-model/search-leases.ts';
import { useSession } from '../session/session.ts';
import { useClusterAccess } from '../upstreams/use-cluster-service.ts';
import { useInstallation } from '../upstreams/use-installation.ts';

export type SearchResult =
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'found';
      readonly text: string;
      readonly hits: readonly SearchHit[];
      /** What was looked through: `hosts`, `racks`. */
      readonly searched: readonly string[];
      /** Whether some of it is still being looked through. */
      readonly isSearching: boolean;
      /** What could not be, and why. */
      readonly problem: string | undefined;
    }
  | { readonly kind: 'failed'; readonly problem: string };

/** A pause in typing: what is asked in the middle of a word is worth nothing a moment later. */
const typingDelayMs = 80;

const searchPath = '/api/inventory/v1/search';
const maxHits = 12;

/**
 * Asks what the text names: the inventory, the fulfillment service, the cluster service or the market, and Kubernetes, which has to look through all names and is waited for last. An answer
 * that was overtaken by another question is dropped.
 */
export function useSearch(text: string): SearchResult {
  const session = useSession();
  const hasPods = useInstallation()?.kubernetes === true;
  const hasClusterService = useClusterAccess().isShown;
  const queries = useQueryClient();
  const [result, setResult] = useState<SearchResult>({ kind: 'waiting' });
  useEffect(() => {
    if (text === '') return;
    const overtaken = new AbortController();
    const { signal } = overtaken;
    const search = async (): Promise<void> => {
      const pods = Promise.allSettled(hasPods ? [searchPods(text, signal)] : []);
      const others = await Promise.allSettled([
        session.readsInventory ? searchInventory(text, signal) : nothing,
        searchObjects(session, text, signal),
        hasClusterService ? knownLeases(queries).then((known) => searchLeases(known, text)) : nothing,
        !hasClusterService && may(session, 'List', leaseKind) ? searchMarketLeases(session, text, signal) : nothing,
      ]);
      if (signal.aborted) return;
      if (hasPods) setResult(resultOf(text, others, true));
      const all = [...others, ...(await pods)];
      if (!signal.aborted) setResult(resultOf(text, all, false));
    };
    const timer = setTimeout(() => void search(), typingDelayMs);
    return () => {
      clearTimeout(timer);
      overtaken.abort();
    };
  }, [session, hasPods, hasClusterService, queries, text]);
  return text === '' ? { kind: 'waiting' } : result;
}

/** The leases and hostnames that there are hardly change from one letter to the next. */
const knownMs = 10_000;

const knownLeases = (queries: QueryClient): Promise<KnownLeases> =>
  queries.query({ queryKey: ['searched leases'], queryFn: ({ signal }) => readLeases(signal), staleTime: knownMs, gcTime: knownMs });

// kind of the inventory -> as people call many of it
const plurals: Readonly<Record<string, string>> = { node: 'nodes', gpu: 'GPUs', class: 'storage classes' };

const nothing: SearchAnswer = { hits: [], searched: [] };

async function searchInventory(text: string, signal: AbortSignal): Promise<SearchAnswer> {
  const query = { query: text, page_size: maxHits };
  const { hits = [], searched = [] } = await callApi<Partial<SearchAnswer>>(searchPath, { query, signal });
  return { hits, searched: searched.map((kind) => plurals[kind] ?? kind) };
}

function resultOf(text: string, answers: readonly PromiseSettledResult<SearchAnswer>[], isSearching: boolean): SearchResult {
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const failed = answers.find((answer) => answer.status === 'rejected');
  const problem = failed === undefined ? undefined : ApiError.from(failed.reason).message;
  const hits = found.flatMap((answer) => answer.hits).toSorted((a, b) => searchRank(a, text) - searchRank(b, text));
  if (hits.length === 0 && problem !== undefined && !isSearching) return { kind: 'failed', problem };
  return { kind: 'found', text, hits, searched: found.flatMap((answer) => answer.searched), isSearching, problem };
}
