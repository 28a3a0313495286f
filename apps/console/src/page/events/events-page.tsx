import { useDeferredValue, useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { problemText } from '../api/api-error.ts';
import { auditRight } from '../api/audit-entry.ts';
import { useFeedFreshness } from '../api/use-feed.ts';
import { useAuditLog } from '../audit/use-audit-log.ts';
import { completeRows } from '../filter/complete-rows.ts';
import { useRowFilter } from '../filter/use-row-filter.ts';

import { countOf } from '../model/amounts.ts';
import { formatMoment, formatMoments } from '../model/relative-time.ts';
import { lastGoodWords } from '../objects/object-table.tsx';
import { KindLinks } from '../parts/kind-links.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { FilterField } from '../parts/table/filter-field.tsx';
import { Grid, type GridColumn } from '../parts/table/grid.tsx';
import { HeldNote } from '../parts/table/held-note.tsx';
import { useHeldRows } from '../parts/table/use-held-rows.ts';
import { useQuery } from '../parts/table/use-query.ts';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';
import { useInstallation } from '../upstreams/use-installation.ts';
import {
  componentChanges,
  lineOfComponent,
  lineOfFault,
  lineOfKubernetesEvent,
  nodeEvents,
  otherEvents,
  podEvents,
  simulatedFaults,
} from './cluster-lines.ts';
import { type EventLine, eventKeys, lineOfEntry, lineOfEvent } from './event-line.ts';
import { useEventLog } from './event-log-provider.tsx';
import { useKubernetesEvents } from './use-kubernetes-events.ts';

const columns: readonly GridColumn<EventLine>[] = [
  { name: 'time', heading: 'When', titleOf: ({ at }) => formatMoments(at), show: ({ at }) => <TimeAgo at={at} /> },
  { name: 'event', heading: 'What', show: ({ tone, word }) => <StateWord tone={tone} word={word} /> },
  { name: 'kind', heading: 'Kind', show: ({ kind }) => kind.singular },
  {
    name: 'object',
    heading: 'Object',
    titleOf: ({ objectId }) => objectId,
    show: ({ kind, objectName, href }) => (
      <span className="audit-object">
        <span className="dim narrow-only">{kind.singular}</span>
        {href === undefined ? (
          objectName
        ) : (
          <Link href={href} tabIndex={-1}>
            {objectName}
          </Link>
        )}
      </span>
    ),
  },
  { name: 'note', heading: 'Details', titleOf: ({ note }) => note, show: ({ note }) => <span className="dim">{note}</span> },
];

/** What happens to objects, nodes, pods and components, one line each, the newest first. */
export function EventsPage() {
  const { kubernetes, changes: components, faults } = useInstallation() ?? {};
  // Beside the kinds of objects of the API.
  const kinds = [
    ...(kubernetes === true ? [nodeEvents, podEvents, otherEvents] : []),
    ...(components === undefined ? [] : [componentChanges]),
    ...(faults === undefined ? [] : [simulatedFaults]),
  ];
  const [kind] = useQuery('kind');
  const [query, setQuery] = useQuery('q');
  const text = useDeferredValue(query ?? '');
  const isStale = useFeedFreshness().kind === 'stale';
  const { lines, hasGap, since, problem: unread } = useEventLines();
  const ofKind = useMemo(() => (kind === null ? lines : lines.filter((line) => line.kind.name === kind)), [lines, kind]);
  const { found: wanted, problem, hint, lastGood } = useRowFilter(ofKind, text, eventKeys);
  const complete = useMemo(() => completeRows(eventKeys, lines), [lines]);
  const [, navigate] = useLocation();
  const open = ({ href }: EventLine): void => {
    if (href !== undefined) navigate(href);
  };
  const scope = `${kind ?? ''}\n${text}`;
  const { rows, changes, release, holdProps } = useHeldRows(wanted, keyOf, scope);
  return (
    <div className="full-height">
      <header className="page-head">
        <h1>Events</h1>
        <p className="dim" data-testid="event-count">
          {countOf(wanted.length, 'event')}
          {problem !== undefined && ` ${lastGoodWords(lastGood)}`}
        </p>
        <HeldNote changes={changes} onRelease={release} />
      </header>
      <KindLinks kind={kind ?? ''} more={kinds} />
      <FilterField
        label="Filter events"
        hint="filter: words, name:gpu-01 what:created, or CEL"
        value={query ?? ''}
        onChange={setQuery}
        complete={complete}
        problem={problem}
        note={hint}
      />
      {hasGap && (
        <p className="stale-notice" role="status">
          The event feed was disconnected for too long to resume: events from that time are missing.
        </p>
      )}
      {unread !== undefined && (
        <p className="stale-notice" role="status">
          Events of Kubernetes cannot be read: {unread}
        </p>
      )}
      {rows.length === 0 ? (
        <p className="empty-line">
          {lines.length === 0
            ? `No events since ${formatMoment(since)}, when the console was opened. New events appear here automatically.`
            : `None of ${countOf(lines.length, 'event')} matches${text === '' ? '' : ` ${text}`}.`}
        </p>
      ) : (
        <div className="table-space" data-stale={isStale ? 'true' : undefined} {...holdProps}>
          <Grid label="Events" layout="event" columns={columns} rows={rows} keyOf={keyOf} onOpen={open} scope={scope} />
        </div>
      )}
    </div>
  );
}

const keyOf = ({ key }: EventLine): string => key;

interface EventLines {
  readonly lines: readonly EventLine[];
  readonly hasGap: boolean;
  readonly since: number;
  readonly problem: string | undefined;
}

/**
 * What the feed told since the console was opened, and before it what the audit log has for those who may read it; for those who run the installation
 * also the Events of Kubernetes, changes of components and simulated faults.
 */
function useEventLines(): EventLines {
  const { rights } = useSession();
  const { events, hasGap, since } = useEventLog();
  const isAuditRead = rights.has(auditRight);
  const earlier = useAuditLog({ filter: '', kind: '', objectId: '' }, { isHeld: true, isWanted: isAuditRead });
  const entries = earlier.data?.pages[0]?.entries;
  const { list, problem } = useKubernetesEvents({});
  const { changes, faults } = useInstallation() ?? {};
  const lines = useMemo(() => {
    const before = (entries ?? []).filter(({ at }) => Date.parse(at) < since);
    return [
      ...events.map(lineOfEvent),
      ...before.flatMap((entry) => lineOfEntry(entry) ?? []),
      ...(list?.events ?? []).map(lineOfKubernetesEvent),
      ...(changes ?? []).map(lineOfComponent),
      ...(faults?.history ?? []).map(lineOfFault),
    ].toSorted((a, b) => b.at - a.at);
  }, [events, entries, since, list, changes, faults]);
  return { lines, hasGap, since, problem: problem && problemText(problem) };
}
