import { problemText } from '../api/api-error.ts';
import { momentOf } from '../api/api-words.ts';
import { type AuditPage, auditPath, auditRight, revealed } from '../api/audit-entry.ts';
import type { ObjectKind } from '../api/object-kind.ts';
import { auditKey, useAnswer } from '../api/use-object.ts';
import { countOf } from '../model/amounts.ts';
import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';
import { lastOpenings } from './last-openings.ts';

const maxEntries = 500;

/** Who opened the secrets of an object, and when last. Only for those who may read the audit log. */
export function OpenedPanel({ kind, id }: { readonly kind: ObjectKind; readonly id: string }) {
  const isAllowed = useSession().rights.has(auditRight);
  const { data, error } = useAnswer<AuditPage>(
    [...auditKey(kind, id), revealed],
    auditPath,
    { query: { kind: kind.name, object_id: id, filter: `this.outcome == "${revealed}"`, limit: maxEntries } },
    { isWanted: isAllowed },
  );
  if (!isAllowed) return null;
  return (
    <Panel title="Secrets opened by" aside="from the audit log" source="fulfillment">
      {error !== null && data === undefined && <p className="empty-line">The audit log cannot be shown. {problemText(error)}</p>}
      {error === null && data === undefined && <p className="empty-line">Loading the audit log …</p>}
      {data?.entries.length === 0 && <p className="empty-line">Nobody has opened its secrets; older entries may have expired.</p>}
      <ol className="timeline">
        {lastOpenings(data?.entries ?? []).map(({ actor, role, at, count }) => (
          <li key={`${role} ${actor}`}>
            <span className="timeline-when">
              <TimeAgo at={momentOf(at) ?? 0} />
            </span>
            <p>
              <strong>{actor}</strong> <span className="dim">({role})</span>
              {count > 1 && <span className="dim">, in {countOf(count, 'different hour')}</span>}
            </p>
          </li>
        ))}
      </ol>
      {data !== undefined && data.next_cursor !== '' && <p className="dim">Older entries are in the audit log.</p>}
    </Panel>
  );
}
