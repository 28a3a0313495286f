import type { HostFacts } from '@quartermaster/api/fulfillment-extras';
import { lockOf } from '@quartermaster/store';
import { ownerOf } from '../claims/host-claim.ts';
import { isSameMarks, marksOf } from '../claims/host-marks.ts';
import { maxLocksAtOnce } from './apply-options.ts';
import type { HostPlan } from './plan-host.ts';

/** A host that was found to need a write, before anything was locked. */
export interface PlannedWrite {
  readonly facts: HostFacts;
  /** Id of the host, of a new one the one that it will have; empty when only hosts of others are written. */
  readonly id: string;
  readonly hostClass: string;
  readonly touches: ReadonlySet<string>;
  readonly changesMarks: boolean;
}

/** The lock of whoever gives a host of a source other marks: two that bring in the same machine at once could not see each other's host. */
const marksLock = 'host_marks';

/** Whether others may come to be the same machine as the host by it. */
export function changesMarks(plan: HostPlan): boolean {
  if (plan.kind === 'create') return true;
  if (plan.kind !== 'update') return false;
  const { before, after } = plan;
  return ownerOf(before) !== ownerOf(after) || !isSameMarks(marksOf(before.spec), marksOf(after.spec));
}

/** Locks that a write needs. */
export function locksOf(source: string, { facts, id, touches, changesMarks: isMarked }: PlannedWrite): string[] {
  const hosts = [...(id === '' ? [] : [id]), ...touches].map((each) => lockOf('hosts', each));
  return [...hosts, `host_sources/${source}/${facts.sourceId}`, ...(isMarked ? [marksLock] : [])];
}

/** The writes in parts that each fit into one transaction. */
export function* inParts(source: string, writes: readonly PlannedWrite[]): Generator<readonly PlannedWrite[], void, undefined> {
  let part: PlannedWrite[] = [];
  let locks = 0;
  for (const write of writes) {
    const more = locksOf(source, write).length;
    if (part.length > 0 && locks + more > maxLocksAtOnce) {
      yield part;
      [part, locks] = [[], 0];
    }
    part.push(write);
    locks += more;
  }
  if (part.length > 0) yield part;
}
