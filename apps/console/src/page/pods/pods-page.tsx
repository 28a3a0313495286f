import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { PodRow } from '../../kubernetes-view.ts';
import { problemText } from '../api/api-error.ts';
import { completeTerms } from '../filter/complete-terms.ts';
import { podsHref } from '../model/addresses.ts';
import { podTone } from '../model/pod-tone.ts';
import { FilterField } from '../parts/filter-field.tsx';
import { HeldNote } from '../parts/held-note.tsx';
import { Dot } from '../parts/state-word.tsx';
import { useQuery, useQueryChange } from '../parts/use-query.ts';
import { Ghosts } from '../parts/waiting.tsx';
import { useInstallation } from '../upstreams/use-installation.ts';
import { PodPager } from './pod-pager.tsx';
import { podHint, podPhases, podQuery, podTermKeys } from './pod-query.ts';
import { PodTable, useHeldPods } from './pod-table.tsx';
import { usePods, useTyped } from './use-pods.ts';

const noPods: readonly PodRow[] = [];
const completePods = completeTerms(podTermKeys);

/** A page that was left for the one after it. */
interface PageBefore {
  /** What it was asked for with; none for the first. */
  readonly token: string | undefined;
  readonly pods: number;
}

/** The way from page to page of what was asked for. */
interface Way {
  readonly asked: string;
  readonly passed: readonly PageBefore[];
  readonly token?: string | undefined;
}

/** Pods in the order of the API server, a page at a time. Filter and phase are in the address; the way from page to page is the API server's. */
export function PodsPage() {
  const isRead = useInstallation()?.kubernetes;
  if (isRead === true) return <Pods />;
  return (
    <>
      <PodsHead />
      {isRead === undefined ? (
        <Ghosts>Loading the pods …</Ghosts>
      ) : (
        <p className="empty-line">This console does not read Kubernetes: console-kubernetes switches that on.</p>
      )}
    </>
  );
}

function Pods() {
  const [phase] = useQuery('phase');
  const [query] = useQuery('q');
  const change = useQueryChange();
  const typed = useTyped(query ?? '');
  const asked = `${phase ?? ''}\n${typed}`;
  const [way, setWay] = useState<Way>({ asked, passed: [] });
  // Another question begins at its first page.
  const { passed, token }: Way = way.asked === asked ? way : { asked, passed: [] };
  const terms = podQuery(typed);
  const { list, isCurrent, problem } = usePods({ ...terms, phase: terms.phase ?? phase ?? undefined, token });
  const scope = `${asked}\n${token ?? ''}`;
  const held = useHeldPods(list?.pods ?? noPods, scope);
  const next = list?.continue;
  const last = passed.at(-1);
  const goNext = (): void => setWay({ asked, passed: [...passed, { token, pods: list?.pods.length ?? 0 }], token: next });
  const goBack = (): void => setWay({ asked, passed: passed.slice(0, -1), token: last?.token });
  return (
    <div className="full-height" aria-busy={!isCurrent}>
      <PodsHead>
        <HeldNote changes={held.changes} onRelease={held.release} />
      </PodsHead>
      <PhaseLinks phase={phase} />
      <div className="filter-line">
        <FilterField
          label="Filter pods"
          hint="filter: words, phase:Pending node:gpu-01"
          complete={completePods}
          note={podHint(query ?? '')}
          value={query ?? ''}
          onChange={(value) => change({ q: value })}
        />
        {list !== undefined && (
          <PodPager
            before={passed.reduce((sum, { pods }) => sum + pods, 0)}
            list={list}
            onPrevious={last === undefined ? undefined : goBack}
            onNext={next === undefined || !isCurrent ? undefined : goNext}
          />
        )}
      </div>
      {problem !== undefined && <p role="alert">{problemText(problem)}</p>}
      {list === undefined && problem === undefined && <Ghosts>Loading the pods …</Ghosts>}
      {list !== undefined && held.rows.length === 0 && <p className="empty-line">{emptyText(phase, typed)}</p>}
      {held.rows.length > 0 && <PodTable held={held} scope={scope} />}
    </div>
  );
}

function PodsHead({ children }: { readonly children?: ReactNode }) {
  return (
    <header className="page-head">
      <h1>Pods</h1>
      {children}
    </header>
  );
}

function emptyText(phase: string | null, search: string): string {
  const words = [phase === null ? '' : `in phase ${phase}`, search === '' ? '' : `matching ${search}`].filter((text) => text !== '');
  if (words.length === 0) return 'There are no pods. kubectl create deployment hello --image=nginx --replicas=3 makes three appear.';
  return `No pod is ${words.join(' and ')}.`;
}

function PhaseLinks({ phase }: { readonly phase: string | null }) {
  const shown = phase === null || podPhases.includes(phase) ? podPhases : [...podPhases, phase];
  return (
    <nav className="phases" aria-label="Phases">
      <Link href="/pods" aria-current={phase === null ? 'true' : undefined}>
        All
      </Link>
      {shown.map((each) => (
        <Link key={each} href={podsHref(each)} aria-current={phase === each ? 'true' : undefined}>
          <Dot tone={podTone(each)} />
          {each}
        </Link>
      ))}
    </nav>
  );
}
