import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { AuditEntry } from '@quartermaster/api/fulfillment-extras';
import { table } from '../../text/table.ts';
import { clockText } from '../../text/time-text.ts';

/** Said to whoever opens secrets, beside what it gets. */
export const recordedNote = 'Opening these secrets is recorded in the audit log, with your name and the time.\n';

/** Entries that tell of something else than secrets that were opened. */
export const changesFilter = 'this.outcome != "revealed"';

/** Entries that tell of secrets of an object being opened, as far as they were read. */
export interface Openings {
  /** People before controllers, and of each the newest first. */
  readonly entries: readonly AuditEntry[];
  /** Whether there are older ones. */
  readonly isCut: boolean;
}

/** Who opened the secrets of an object: each caller once, in the order of the entries. */
export function openingsText({ entries, isCut }: Openings): string {
  const byCaller = Map.groupBy(entries, ({ actor, role }) => `${role} ${actor}`);
  const rows = [...byCaller.values()].flatMap(([last, ...others]) =>
    last === undefined
      ? []
      : [[last.actor, last.role, last.at === undefined ? '-' : clockText(timestampMs(last.at)), String(others.length + 1)]],
  );
  if (rows.length === 0) return '';
  return `${table(['WHO', 'ROLE', 'LAST', 'HOURS'], rows)}${isCut ? 'Older entries are left out: see them with get audit --all.\n' : ''}`;
}
