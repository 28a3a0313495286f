import { useDeferredValue } from 'react';
import { Link } from 'wouter';
import type { ConsolePod } from '../../console-source.ts';
import type { ClusterSummary } from '../../topics/cluster-summary.ts';
import { podPageSize, podsTopic } from '../../topics/pods-topic.ts';
import { completeTerms } from '../filter/complete-terms.ts';
import { useFreshness, useLive } from '../live/use-live.ts';
import { useTopic } from '../live/use-topic.ts';
import { podsHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { podShares } from '../model/cluster-shares.ts';
import { podTone } from '../model/node-state.ts';
import { Changing } from '../parts/changing.tsx';
import { FilterField } from '../parts/filter-field.tsx';
import { HeldNote } from '../parts/held-note.tsx';
import { Dot } from '../parts/state-word.tsx';
import { useQuery, useQueryChange } from '../parts/use-query.ts';
import { Waiting } from '../parts/waiting.tsx';
import { PodPager } from './pod-pager.tsx';
import { podHint, podQuery, podTermKeys } from './pod-query.ts';
import { PodTable, useHeldPods } from './pod-table.tsx';

const noPods: readonly ConsolePod[] = [];
/** Completes from the phases that pods have. */
const completePods = completeTerms(podTermKeys);

/** All pods, those that changed last first. The server filters and sends one page; filter, phase and page are in the address. */
export function PodsPage() {
  const { overview } = useLive();
  const [phase] = useQuery('phase');
  const [query] = useQuery('q');
  const change = useQueryChange();
  const [pageText, setPage] = useQuery('page');
  const page = Math.max(0, Math.trunc(Number(pageText ?? 1)) - 1) || 0;
  const text = useDeferredValue(query ?? '');
  const asked = podQuery(text);
  const { news, isCurrent } = useTopic(podsTopic, { ...asked, phase: asked.phase ?? phase ?? undefined, page, size: podPageSize });
  const scope = `${phase ?? ''}\n${text}\n${page}`;
  const held = useHeldPods(news?.rows ?? noPods, scope);
  const cluster = overview?.cluster;
  if (news === undefined || news === null || cluster === undefined) {
    return (
      <>
        <header className="page-head">
          <h1>Pods</h1>
        </header>
        <Waiting />
      </>
    );
  }
  return (
    <div className="full-height" aria-busy={!isCurrent}>
      <header className="page-head">
        <h1>Pods</h1>
        <HeldNote changes={held.changes} onRelease={held.release} />
      </header>
      <PhaseLinks cluster={cluster} phase={phase} />
      <div className="filter-line">
        <FilterField
          label="Filter pods"
          hint="filter: words, phase:Pending node:gpu-01"
          complete={completePods}
          note={podHint(query ?? '')}
          value={query ?? ''}
          onChange={(value) => change({ q: value, page: null })}
        />
        <PodPager
          page={page}
          size={podPageSize}
          matching={news.head.matching}
          onPage={(next) => setPage(next === 0 ? null : String(next + 1))}
        />
      </div>
      {held.rows.length === 0 ? (
        <p className="empty-line">{emptyText(news.head.total, phase, query)}</p>
      ) : (
        <PodTable held={held} scope={scope} />
      )}
    </div>
  );
}

function emptyText(total: number, phase: string | null, query: string | null): string {
  if (total === 0) return 'There are no pods. kubectl create deployment hello --image=nginx --replicas=3 makes three appear.';
  const words = [phase === null ? '' : `in phase ${phase}`, query === null ? '' : `matching ${query}`].filter((text) => text !== '');
  return `None of the ${formatInteger(total)} pods is ${words.length === 0 ? 'on this page' : words.join(' and ')}.`;
}

interface PhaseLinksProps {
  readonly cluster: ClusterSummary;
  readonly phase: string | null;
}

function PhaseLinks({ cluster, phase }: PhaseLinksProps) {
  const isStale = useFreshness().kind === 'stale';
  const pods = podShares(cluster);
  const shown =
    phase === null || pods.some(({ label }) => label === phase)
      ? pods
      : [...pods, { label: phase, count: 0, tone: podTone(phase), href: podsHref(phase) }];
  return (
    <nav className="phases" aria-label="Phases" data-stale={isStale ? 'true' : undefined}>
      <Link href="/pods" aria-current={phase === null ? 'true' : undefined}>
        All <Changing value={cluster.podCount}>{formatInteger(cluster.podCount)}</Changing>
      </Link>
      {shown.map(({ label, count, tone, href }) => (
        <Link key={label} href={href} aria-current={phase === label ? 'true' : undefined}>
          <Dot tone={tone} />
          {label} <Changing value={count}>{formatInteger(count)}</Changing>
        </Link>
      ))}
    </nav>
  );
}
