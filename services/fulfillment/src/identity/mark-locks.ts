import type { Host } from '@quartermaster/api/private';
import { isSameOrigin } from './assertion.ts';
import { type Mark, marksOfHost, markText } from './host-marks.ts';

/** The locks of what hosts are known by: two who give a mark to a host at once could not see each other's. */
export const locksOfMarks = (marks: readonly Mark[]): readonly string[] =>
  [...new Set(marks.map(markText))].map((text) => `host_marks/${text}`);

/** Those of everything that the hosts are known by. */
export const markLocks = (...hosts: readonly (Host | undefined)[]): readonly string[] =>
  locksOfMarks(hosts.flatMap((host) => (host === undefined ? [] : marksOfHost(host))));

/** What marks are made of, as one text. */
function madeOf({ spec }: Host): string {
  if (spec === undefined) return '';
  const { serial, systemUuid, bootMac, nics, rack, rackUnit, rackHeight } = spec;
  return JSON.stringify([serial, systemUuid, bootMac, rack, rackUnit, rackHeight, nics.map(({ mac }) => mac)]);
}

/** Whether others may come to be the same machine as the host by a write, or stop to be. */
export function changesMarks(before: Host | undefined, after: Host | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  if (!isSameOrigin(before, after)) return true;
  // Most writes change none of it: then nothing has to be taken apart.
  return madeOf(before) !== madeOf(after) && markLocks(before).join('\n') !== markLocks(after).join('\n');
}
