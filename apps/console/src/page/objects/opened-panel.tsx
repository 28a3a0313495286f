import { openingsFilter } from '@quartermaster/api/states';
import { problemText } from '../api/api-error.ts';
import type { ApiObject } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { type AuditPage, auditPath, auditRight } from '../api/audit-entry.ts';
import type { ObjectKind } from '../api/object-kind.ts';
import { type Answered, auditKey, useAnswer } from '../api/use-object.ts';
import { countOf } from '../model/amounts.ts';
import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';
import { lastOpenings } from './last-openings.ts';

/** Of people, and of controllers. */
const maxEntries = 500;

interface OpenedProps {
  readonly kind: ObjectKind;
  readonly object: ApiObject;
}

/** Who opened the secrets of an object, and when last. Only for those who may read the audit log. */
export function OpenedPanel(props: OpenedProps) {
  const isAllowed = useSession().rights.has(auditRight);
  const people = useOpenings(props, 'people', isAllowed);
  const controllers = useOpenings(props, 'controllers', isAllowed);
  if (!isAllowed) return null;
  const error = people.error ?? controllers.error;
  const data =
    people.data === undefined || controllers.data === undefined
      ? undefined
      : {
          entries: [...people.data.entries, ...controllers.data.entries],
          isCut: people.data.next_cursor !== '' || controllers.data.next_cursor !== '',
        };
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
      {data?.isCut === true && <p className="dim">Older entries are in the audit log.</p>}
    </Panel>
  );
}

function useOpenings({ kind, object }: OpenedProps, by: 'people' | 'controllers', isWanted: boolean): Answered<AuditPage> {
  const filter = openingsFilter(by, object.metadata.creation_timestamp);
  const query = { kind: kind.name, object_id: object.id, filter, limit: maxEntries };
  return useAnswer<AuditPage>([...auditKey(kind, object.id), filter], auditPath, { query }, { isWanted });
}
