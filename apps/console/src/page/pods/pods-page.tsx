import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { podKeys, podPhases } from '../../filter/pod-keys.ts';
import { unknownKeyHint } from '../../filter/terms.ts';
import type { PodRow } from '../../kubernetes-view.ts';
import { problemText } from '../api/api-error.ts';
import { completeTerms } from '../filter/complete-terms.ts';
import { podsHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { podTone } from '../model/pod-tone.ts';
import { lastGoodWords } from '../objects/object-table.tsx';
import { Dot } from '../parts/state-word.tsx';
import { FilterField } from '../parts/table/filter-field.tsx';
import { HeldNote } from '../parts/table/held-note.tsx';
import { useQuery, useQueryChange } from '../parts/table/use-query.ts';
import { Ghosts } from '../parts/waiting.tsx';
import { useInstallation } from '../upstreams/use-installation.ts';
import { PodPager } from './pod-pager.tsx';
import { PodTable, useHeldPods } from './pod-table.tsx';
import { PodsUnread } from './pods-unread.tsx';
import { podPageSize, usePods, useTyped } from './use-pods.ts';

const noPods: readonly PodRow[] = [];
const keyNames = podKeys.map(({ name }) => name);
const completePods = completeTerms(
  podKeys.map(({ name, note }) => ({ name, note, values: name === 'phase' ? () => podPhases.map((insert) => ({ insert })) : undefined })),
);

/** One page of what was asked for. */
interface Place {
  readonly offset: number;
  /** Of the API server, and how many pods were looked at before it; none for the first ones. */
  readonly token: string | undefined;
  readonly lookedBefore: number;
}

/** The way from page to page of what was asked for. */
interface Way {
  readonly asked: string;
  readonly passed: readonly Place[];
  readonly at: Place;
}

const beginning: Place = { offset: 0, token: undefined, lookedBefore: 0 };

/** Pods, the newest first, a page at a time. Filter and phase are in the address; the way from page to page is the API server's. */
export function PodsPage() {
  const isRead = useInstallation()?.kubernetes;
  if (isRead === true) return <Pods />;
  return (
    <>
      <PodsHead />
      {isRead === undefined ? <Ghosts>Loading the pods …</Ghosts> : <PodsUnread />}
    </>
  );
}

function Pods() {
  const [phase] = useQuery('phase');
  const [query] = useQuery('q');
  const change = useQueryChange();
  const typed = useTyped(query ?? '');
  const asked = `${phase ?? ''}\n${typed}`;
  const [way, setWay] = useState<Way>({ asked, passed: [], at: beginning });
  // Another question begins at its first page.
  const { passed, at }: Way = way.asked === asked ? way : { asked, passed: [], at: beginning };
  const { list, isCurrent, lastGood, problem } = usePods({ filter: typed, phase: phase ?? undefined, offset: at.offset, token: at.token });
  const isRefused = problem?.code === 'invalid_argument';
  const scope = `${asked}\n${at.token ?? ''}\n${at.offset}`;
  const held = useHeldPods(list?.pods ?? noPods, scope);
  const last = passed.at(-1);
  const next = list === undefined || !isCurrent ? undefined : placeAfter(at, list);
  const goTo = (place: Place, before: readonly Place[]): void => setWay({ asked, passed: before, at: place });
  return (
    <div className="full-height" aria-busy={!isCurrent}>
      <PodsHead>
        {isRefused && list !== undefined && <p className="dim">{lastGoodWords(lastGood)}</p>}
        <HeldNote changes={held.changes} onRelease={held.release} />
      </PodsHead>
      <PhaseLinks phase={phase} counts={list?.phases} />
      <div className="filter-line">
        <FilterField
          label="Filter pods"
          hint="filter: words, phase:Pending node:gpu-01, or CEL"
          complete={completePods}
          problem={isRefused ? refusalIn(problem) : undefined}
          note={unknownKeyHint(query ?? '', keyNames)}
          value={query ?? ''}
          onChange={(value) => change({ q: value })}
        />
        {list !== undefined && (
          <PodPager
            list={list}
            offset={at.offset}
            lookedBefore={at.lookedBefore}
            onPrevious={last === undefined ? undefined : () => goTo(last, passed.slice(0, -1))}
            onNext={next === undefined ? undefined : () => goTo(next, [...passed, at])}
          />
        )}
      </div>
      {problem !== undefined && !isRefused && <p role="alert">{problemText(problem)}</p>}
      {list === undefined && problem === undefined && <Ghosts>Loading the pods …</Ghosts>}
      {list !== undefined && isCurrent && held.rows.length === 0 && <p className="empty-line">{emptyText(phase, typed)}</p>}
      {held.rows.length > 0 && <PodTable held={held} scope={scope} isStale={isRefused} />}
    </div>
  );
}

/** The next page of those that match, or of those that are looked at next. */
function placeAfter(
  { offset, token, lookedBefore }: Place,
  list: { matched: number; continue?: string | undefined; looked: { pods: number } },
) {
  if (offset + podPageSize < list.matched) return { offset: offset + podPageSize, token, lookedBefore };
  return list.continue === undefined ? undefined : { offset: 0, token: list.continue, lookedBefore: lookedBefore + list.looked.pods };
}

const refusalIn = ({ violations, message }: { violations: readonly { description: string }[]; message: string }): string =>
  violations[0]?.description ?? message;

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

interface PhaseLinksProps {
  readonly phase: string | null;
  /** phase -> how many; undefined while nobody has counted. */
  readonly counts: Readonly<Record<string, number>> | undefined;
}

function PhaseLinks({ phase, counts }: PhaseLinksProps) {
  const shown = phase === null || podPhases.includes(phase) ? podPhases : [...podPhases, phase];
  const all = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
  const countOf = (count: number): ReactNode => counts !== undefined && <span className="dim">{formatInteger(count)}</span>;
  return (
    <nav className="phases" aria-label="Phases">
      <Link href="/pods" aria-current={phase === null ? 'true' : undefined}>
        All {countOf(all)}
      </Link>
      {shown.map((each) => (
        <Link key={each} href={podsHref(each)} aria-current={phase === each ? 'true' : undefined}>
          <Dot tone={podTone(each)} />
          {each} {countOf(counts?.[each] ?? 0)}
        </Link>
      ))}
    </nav>
  );
}
