import type { Host } from '@quartermaster/api/private';
import { isSameOrigin } from './assertion.ts';
import { marksOfHost, markText } from './host-marks.ts';

/** The locks of everything that the hosts are known by: two who give a mark to a host at once could not see each other's. */
export const markLocks = (...hosts: readonly (Host | undefined)[]): readonly string[] => [
  ...new Set(hosts.flatMap((host) => (host === undefined ? [] : marksOfHost(host).map((mark) => `host_marks/${markText(mark)}`)))),
];

/** Those of what a write gives to the host and takes from it; of everything when the host becomes another's. */
export function changedMarkLocks(before: Host | undefined, after: Host | undefined): readonly string[] {
  const all = markLocks(before, after);
  if (before === undefined || after === undefined || !isSameOrigin(before, after)) return all;
  const [was, is] = [new Set(markLocks(before)), new Set(markLocks(after))];
  return all.filter((lock) => !(was.has(lock) && is.has(lock)));
}

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
