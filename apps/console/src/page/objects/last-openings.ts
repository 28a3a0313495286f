import type { AuditEntry } from '../api/audit-entry.ts';

/** Somebody who opened the secrets of an object. */
export interface Opening {
  readonly actor: string;
  readonly role: string;
  /** The last time. */
  readonly at: string;
  /** How many entries there are: one for each hour in which it happened. */
  readonly count: number;
}

/** Each caller once, in the order of the entries, of which those of one caller have the newest first. */
export function lastOpenings(entries: readonly AuditEntry[]): readonly Opening[] {
  const byCaller = Map.groupBy(entries, ({ actor, role }) => `${role} ${actor}`);
  return [...byCaller.values()].flatMap(([last, ...others]) =>
    last === undefined ? [] : [{ actor: last.actor, role: last.role, at: last.at, count: others.length + 1 }],
  );
}
