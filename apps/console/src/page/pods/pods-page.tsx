import { useMemo } from 'react';
import { Link } from 'wouter';
import type { ConsolePod } from '../../console-source.ts';
import { useFreshness, useLive } from '../live/use-live.ts';
import { formatInteger } from '../model/amounts.ts';
import { podsHref, summariseCluster } from '../model/cluster-summary.ts';
import { podTone } from '../model/node-state.ts';
import { filterPods, podKey } from '../model/pod-filter.ts';
import { Changing } from '../parts/changing.tsx';
import { HeldNote } from '../parts/held-note.tsx';
import { Dot } from '../parts/state-word.tsx';
import { useHeldRows } from '../parts/use-held-rows.ts';
import { useQuery } from '../parts/use-query.ts';
import { WaitingForCluster, WaitingForServer } from '../parts/waiting.tsx';
import { PodList } from './pod-list.tsx';

const noPods: readonly ConsolePod[] = [];

/** How many pods are in which phase, and which of them changed last, newest first. */
export function PodsPage() {
  const { snapshot } = useLive();
  const isStale = useFreshness().kind === 'stale';
  const [phase] = useQuery('phase');
  const [query, setQuery] = useQuery('q');
  const recent = snapshot?.cluster?.recentPods ?? noPods;
  const newest = useMemo(() => filterPods(recent, { phase, query: query ?? '' }), [recent, phase, query]);
  const { rows, changes, holdProps, release } = useHeldRows(newest, podKey, `${phase ?? ''}\n${query ?? ''}`);
  const cluster = snapshot?.cluster;
  return (
    <>
      <header className="page-head">
        <h1>Pods</h1>
        <HeldNote changes={changes} onRelease={release} />
      </header>
      {snapshot === undefined && <WaitingForServer />}
      {snapshot !== undefined && cluster === undefined && <WaitingForCluster />}
      {cluster !== undefined && (
        <div data-stale={isStale ? 'true' : undefined}>
          <PhaseLinks cluster={cluster} phase={phase} />
          <input
            className="field filter-field"
            type="text"
            aria-label="Filter recent pods"
            placeholder="filter: namespace, name or node"
            autoComplete="off"
            spellCheck={false}
            value={query ?? ''}
            onChange={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.blur();
            }}
          />
          <div {...holdProps}>
            <PodList pods={rows} empty={emptyText(recent.length, phase, query)} />
          </div>
        </div>
      )}
    </>
  );
}

function emptyText(recentCount: number, phase: string | null, query: string | null): string {
  if (recentCount === 0) return 'No pod has changed yet. kubectl create deployment hello --image=nginx --replicas=3 makes three appear.';
  const words = [phase === null ? '' : `in phase ${phase}`, query === null ? '' : `matching ${query}`].filter((text) => text !== '');
  return `None of the ${formatInteger(recentCount)} pods that changed last is ${words.join(' and ')}.`;
}

interface PhaseLinksProps {
  readonly cluster: Parameters<typeof summariseCluster>[0];
  readonly phase: string | null;
}

function PhaseLinks({ cluster, phase }: PhaseLinksProps) {
  const { pods, podCount } = useMemo(() => summariseCluster(cluster), [cluster]);
  const shown =
    phase === null || pods.some(({ label }) => label === phase)
      ? pods
      : [...pods, { label: phase, count: 0, tone: podTone(phase), href: podsHref(phase) }];
  return (
    <nav className="phases" aria-label="Phases">
      <Link href="/pods" aria-current={phase === null ? 'true' : undefined}>
        All <Changing value={podCount}>{formatInteger(podCount)}</Changing>
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
