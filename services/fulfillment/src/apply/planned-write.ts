import type { HostFacts } from '@quartermaster/api/fulfillment-extras';
import { lockOf } from '@quartermaster/store';
import { changesMarks, markLocks } from '../identity/mark-locks.ts';
import { maxLocksAtOnce } from './apply-options.ts';
import type { HostPlan } from './plan-host.ts';

/** A host that was found to need a write, before anything was locked. */
export interface PlannedWrite {
  readonly facts: HostFacts;
  /** Id of the host, of a new one the one that it will have; empty when only hosts of others are written. */
  readonly id: string;
  readonly hostClass: string;
  readonly touches: ReadonlySet<string>;
  /** Locks of the marks that it gives to the host or takes from it. */
  readonly marks: readonly string[];
}

/** Locks of what others may come to be the same machine by, or stop to be. */
export function marksOfPlan(plan: HostPlan): readonly string[] {
  if (plan.kind === 'create') return markLocks(plan.after);
  return plan.kind === 'update' && changesMarks(plan.before, plan.after) ? markLocks(plan.before, plan.after) : [];
}

/** Locks that a write needs. */
export function locksOf(source: string, { facts, id, touches, marks }: PlannedWrite): string[] {
  const hosts = [...(id === '' ? [] : [id]), ...touches].map((each) => lockOf('hosts', each));
  return [...hosts, `host_sources/${source}/${facts.sourceId}`, ...marks];
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
