import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { AuditEntry } from '@quartermaster/api/fulfillment-extras';
import { table } from '../../text/table.ts';
import { clockText } from '../../text/time-text.ts';

/** Said to whoever opens secrets, beside what it gets. */
export const recordedNote = 'Opening these secrets is recorded in the audit log, with your name and the time.\n';

/** Entries that tell of secrets that were opened, and all others. */
export const openingsFilter = 'this.outcome == "revealed"';
export const changesFilter = 'this.outcome != "revealed"';

/** Who opened the secrets of an object: each caller once, who did it last comes first, as the entries do. */
export function openingsText(entries: readonly AuditEntry[]): string {
  const byCaller = Map.groupBy(entries, ({ actor, role }) => `${role} ${actor}`);
  const rows = [...byCaller.values()].flatMap(([last, ...others]) =>
    last === undefined
      ? []
      : [[last.actor, last.role, last.at === undefined ? '-' : clockText(timestampMs(last.at)), String(others.length + 1)]],
  );
  return rows.length === 0 ? '' : table(['WHO', 'ROLE', 'LAST', 'HOURS'], rows);
}
