import type { Pod } from '@quartermaster/kube/shapes';
import type { PodList, PodRow } from '../../kubernetes-view.ts';
import { podFilter } from './pod-filter.ts';
import { podRow } from './pod-view.ts';

export interface PodQuery {
  readonly namespace?: string | undefined;
  readonly node?: string | undefined;
  readonly phase?: string | undefined;
  /** Words, `key:value` or an expression. */
  readonly filter?: string | undefined;
  /** Of those that match, the newest first. */
  readonly offset: number;
  readonly limit: number;
  /** Where an earlier answer says that there is more to look at. */
  readonly continue?: string | undefined;
}

/** A page of the API server. */
export type ReadPods = (asked: {
  readonly namespace: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly limit: number;
  readonly continue: string | undefined;
  readonly signal: AbortSignal;
}) => Promise<{
  readonly items: readonly Pod[];
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}>;

const readAtOnce = 500;
/** One answer looks at no more pods than this, and says so. */
const mostLooked = 20_000;

/**
 * Looks through the pods of the API server, which can neither sort nor count nor filter by more than a node and a namespace: as many as one answer may
 * cost. Of each only the row is kept, and nothing after the answer.
 */
export async function scanPods(read: ReadPods, query: PodQuery, signal: AbortSignal): Promise<PodList> {
  const filter = podFilter(query.filter ?? '');
  const namespace = query.namespace ?? filter.namespace;
  const node = query.node ?? filter.node;
  const fieldSelector = node === undefined ? undefined : `spec.nodeName=${node}`;
  const phases: Record<string, number> = {};
  const matched: PodRow[] = [];
  let looked = 0;
  let token = query.continue;
  let remaining: number | undefined;
  do {
    const page = await read({ namespace, fieldSelector, limit: readAtOnce, continue: token, signal });
    looked += page.items.length;
    for (const pod of page.items) {
      const row = podRow(pod);
      if (!filter.matches(row)) continue;
      phases[row.phase] = (phases[row.phase] ?? 0) + 1;
      if (query.phase === undefined || row.phase === query.phase) matched.push(row);
    }
    token = page.continue;
    remaining = page.remainingItemCount;
  } while (token !== undefined && looked < mostLooked);
  return {
    pods: matched.toSorted(newestFirst).slice(query.offset, query.offset + query.limit),
    matched: matched.length,
    phases,
    looked: { pods: looked, isComplete: token === undefined && query.continue === undefined },
    continue: token,
    remaining,
  };
}

function newestFirst(a: PodRow, b: PodRow): number {
  const byAge = (b.createdAt ?? 0) - (a.createdAt ?? 0);
  if (byAge !== 0) return byAge;
  return `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1;
}
