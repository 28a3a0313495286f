import type { Host } from '@quartermaster/api/private';
import { ownerOf } from './host-claim.ts';
import { marksOfHost, markText } from './host-marks.ts';

/** The locks of what the hosts are known by: two who give a mark to a host at once could not see each other's. */
export function markLocks(...hosts: readonly (Host | undefined)[]): readonly string[] {
  const texts = hosts.flatMap((host) => (host === undefined ? [] : marksOfHost(host).map(markText)));
  return [...new Set(texts)].map((text) => `host_marks/${text}`);
}

/** Whether others may come to be the same machine as the host by a write, or stop to be. */
export function changesMarks(before: Host | undefined, after: Host | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  if (before.status?.source?.id !== after.status?.source?.id || ownerOf(before) !== ownerOf(after)) return true;
  return markLocks(before).join('\n') !== markLocks(after).join('\n');
}
