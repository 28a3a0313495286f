import { problemText } from '../api/api-error.ts';
import { momentOf } from '../api/api-words.ts';
import { type AuditPage, auditPath, auditRight, type FieldChange, revealed } from '../api/audit-entry.ts';
import type { ObjectKind } from '../api/object-kind.ts';
import { auditKey, useAnswer } from '../api/use-object.ts';
import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';

/** How many changes of a new object are worth showing: the rest is on the page above. */
const maxChanges = 12;

/** What happened to an object, newest first: who, what, before and after. Only for those who may read the audit log. */
export function AuditTimeline({ kind, id }: { readonly kind: ObjectKind; readonly id: string }) {
  const isAllowed = useSession().rights.has(auditRight);
  const { data, error } = useAnswer<AuditPage>(
    auditKey(kind, id),
    auditPath,
    { query: { kind: kind.name, object_id: id, filter: `this.outcome != "${revealed}"`, limit: 50 } },
    { isWanted: isAllowed },
  );
  if (!isAllowed) return null;
  return (
    <Panel title="History" aside="from the audit log" source="fulfillment">
      {error !== null && data === undefined && <p className="empty-line">The audit log cannot be shown. {problemText(error)}</p>}
      {error === null && data === undefined && <p className="empty-line">Loading the audit log …</p>}
      {data?.entries.length === 0 && (
        <p className="empty-line">The audit log has no entries for this object; older ones may have expired.</p>
      )}
      <ol className="timeline">
        {data?.entries.map(({ id: entry, at, actor, role, outcome, changes }) => (
          <li key={entry}>
            <span className="timeline-when">
              <TimeAgo at={momentOf(at) ?? 0} />
            </span>
            <div>
              <p>
                <strong>{outcome}</strong> by <strong>{actor}</strong> <span className="dim">({role})</span>
              </p>
              <FieldChanges changes={changes.slice(0, maxChanges)} />
              {changes.length > maxChanges && <p className="dim">and {changes.length - maxChanges} more fields</p>}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** What a write changed: each field with what it was and what it became. */
function FieldChanges({ changes }: { readonly changes: readonly FieldChange[] }) {
  if (changes.length === 0) return null;
  return (
    <ul className="changes">
      {changes.map(({ path, before, after }) => (
        <li key={path}>
          <code>{path}</code>
          {before !== '' && <del className="mono">{before}</del>}
          {before !== '' && after !== '' && <span aria-hidden="true">→</span>}
          {after !== '' && <ins className="mono">{after}</ins>}
          {before !== '' && after === '' && <span className="dim">removed</span>}
        </li>
      ))}
    </ul>
  );
}
