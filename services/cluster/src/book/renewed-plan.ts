import { jsonEqual } from '@quartermaster/controller';
import type { Plan, PlannedSpace } from '../placement/plan.ts';
import { tells } from '../placement/storage-classes.ts';
import type { ReservationBook } from './reservation-book.ts';

/**
 * The plan of a reservation with where its volumes may lie by now, which its class told since it was made; undefined where it says that already. What it says is only
 * added to, so that a class that changes back and forth is not written each time. Volumes that are claimed are counted by the inventory wherever they lie.
 */
export function renewedPlan(book: ReservationBook, name: string): Plan | undefined {
  const { reservation, net } = book.entry(name) ?? {};
  if (reservation === undefined || net === undefined) return undefined;
  const unclaimed = new Set([...net.holds.nodes.values()].flatMap(({ volumes }) => [...volumes.keys()]));
  if (unclaimed.size === 0) return undefined;
  const { storage } = book.stock;
  let isNew = false;
  const units = reservation.plan.units.map((unit) => {
    const nodes = unit.replicas.map(({ node }) => node);
    const volumes = unit.volumes.map((volume) => {
      const facts = unclaimed.has(volume.class) ? storage.get(volume.class) : undefined;
      if (facts === undefined || !tells(facts)) return volume;
      const sharing = storage.spaceOf(facts).classes.filter(tells);
      const space = widened(volume.space, storage.plannedSpace(facts, nodes), new Set(sharing.map((each) => each.name)));
      isNew ||= space !== volume.space;
      return { ...volume, space };
    });
    return { ...unit, volumes };
  });
  return isNew ? { ...reservation.plan, units } : undefined;
}

/** The same object where that is nothing new. */
function widened(before: PlannedSpace | undefined, now: PlannedSpace, sharing: ReadonlySet<string>): PlannedSpace {
  if (before === undefined || before.isNodeLocal !== now.isNodeLocal) return now;
  const isAnywhere = before.ephemeralNodes === 'any' || now.ephemeralNodes === 'any';
  const space: PlannedSpace = {
    isNodeLocal: now.isNodeLocal,
    copies: Math.max(before.copies, now.copies),
    copiesOnNode: Math.max(before.copiesOnNode, now.copiesOnNode),
    apartFrom: before.apartFrom.filter((name) => !sharing.has(name)),
    ephemeralNodes: isAnywhere ? 'any' : [...new Set([...before.ephemeralNodes, ...now.ephemeralNodes])].sort(),
  };
  return jsonEqual(space, before) ? before : space;
}
