import { useCallback, useState } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../api/api-error.ts';
import { revealed } from '../api/audit-entry.ts';
import { kindNamed, objectHref, objectKinds } from '../api/object-kind.ts';
import { useFeedFreshness } from '../api/use-feed.ts';
import { useObjectFilter } from '../filter/use-object-filter.ts';
import { auditHref } from '../model/addresses.ts';
import { KindLinks } from '../parts/kind-links.tsx';
import { HeldNote } from '../parts/table/held-note.tsx';
import { ServerFilter } from '../parts/table/server-filter.tsx';
import { useQuery } from '../parts/table/use-query.ts';
import { AuditTable } from './audit-table.tsx';
import { useAuditLog } from './use-audit-log.ts';

const examples: Readonly<Record<string, string>> = {
  refused: 'this.outcome == "permission_denied"',
  deletions: 'this.outcome in ["deleted", "archived"]',
  'secrets opened': 'this.outcome == "revealed"',
  'last hour': 'this.at > now - duration("1h")',
};

const entryMessage = 'quartermaster.fulfillment.v1.AuditEntry';

const outcomes = ['created', 'updated', 'deleted', 'archived', revealed, 'permission_denied'];
const known = {
  outcome: new Map(outcomes.map((outcome) => [outcome, outcome])),
  kind: new Map(objectKinds.map(({ name, plural }) => [name, plural])),
};

/** Who changed what and who opened whose secrets, when and from where: one line each, the newest first, before and after on demand. */
export function AuditPage() {
  const [kind] = useQuery('kind');
  const [objectId] = useQuery('object');
  const [filter, setFilter] = useQuery('q');
  const [isHeld, setHeld] = useState(false);
  const isStale = useFeedFreshness().kind === 'stale';
  const asked = useObjectFilter(entryMessage, filter ?? '', known);
  const log = useAuditLog({ filter: asked ?? '', kind: kind ?? '', objectId: objectId ?? '' }, { isHeld, isWanted: asked !== undefined });
  const hold = useCallback(() => setHeld(true), []);
  const letGo = useCallback(() => setHeld(false), []);
  const problem = log.error === null ? undefined : ApiError.from(log.error);
  const isRefused = problem?.code === 'invalid_argument';
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <>
      <header className="page-head">
        <h1>Audit</h1>
        <HeldNote changes={log.changes} onRelease={log.release} />
        {kind !== null && objectId !== null && <OneObject kind={kind} objectId={objectId} />}
      </header>
      <KindLinks kind={kind ?? ''} />
      <ServerFilter
        label="Filter the audit log"
        hint={'filter: words, actor:ann outcome:updated, or CEL'}
        value={filter ?? ''}
        onChange={setFilter}
        problem={problem}
        message={entryMessage}
        known={known}
        examples={examples}
      />
      {isRefused && entries.length > 0 && (
        <p className="stale-notice" role="status">
          The filter is not applied: the entries below are the last good result.
        </p>
      )}
      {problem !== undefined && !isRefused && (
        <p className="stale-notice" role="alert">
          {problem.message}
        </p>
      )}
      {log.isPending && problem === undefined && <p className="empty-line">Loading the audit log …</p>}
      {log.data !== undefined && entries.length === 0 && (
        <p className="empty-line">
          {(filter ?? '') === '' && kind === null
            ? 'Nothing has been recorded yet. Every change to an object and every opening of its secrets appears here, with who did it.'
            : 'No entry matches.'}{' '}
          {(filter ?? '') !== '' && (
            <button type="button" className="quiet-button" onClick={() => setFilter(null)}>
              Clear the filter
            </button>
          )}
        </p>
      )}
      {entries.length > 0 && (
        <div data-stale={isStale || isRefused ? 'true' : undefined} onPointerEnter={hold} onPointerLeave={letGo}>
          <AuditTable entries={entries} />
          {log.hasNextPage && (
            <button
              type="button"
              className="quiet-button more-button"
              disabled={log.isFetchingNextPage}
              onClick={() => void log.fetchNextPage()}
            >
              {log.isFetchingNextPage ? 'Loading …' : 'Show older entries'}
            </button>
          )}
        </div>
      )}
    </>
  );
}

/** Whose history it is, and the way back to everybody's. */
function OneObject({ kind, objectId }: { readonly kind: string; readonly objectId: string }) {
  const found = kindNamed(kind);
  return (
    <p>
      of the {found?.singular ?? kind}{' '}
      <Link href={found === undefined ? '/' : objectHref(found, objectId)} className="mono">
        {objectId}
      </Link>{' '}
      · <Link href={auditHref(kind)}>of all {kind.replaceAll('_', ' ')}</Link>
    </p>
  );
}
