import type { Plan, PlannedSpace, PlannedUnit } from '../placement/plan.ts';
import { isPersistent, type Request, type Unit, type Volume } from '../placement/request.ts';
import type { NetHolds } from './net-holds.ts';
import type { ReservationBook } from './reservation-book.ts';
import type { WaitingReplica } from './waiting-replicas.ts';

/** Replicas of a lease that do not run, and cannot start where they are planned. */
export interface MissingReplicas {
  /** To be placed beside what is held for the lease already. */
  readonly request: Request;
  /** The plan without them: that stays as it is. */
  readonly kept: Plan;
}

/**
 * Undefined while every replica that does not run can start where it is planned. One that has its data on a node waits for the node, whatever becomes of it, and holds up
 * no other. A node of which nothing is heard keeps its replicas until the cluster gives up their pods.
 */
export function missingReplicas(book: ReservationBook, name: string): MissingReplicas | undefined {
  const { reservation, net } = book.entry(name) ?? {};
  const problems = book.misplanned.get(name)?.problems ?? [];
  if (reservation?.phase !== 'active' || net === undefined || problems.length === 0) return undefined;
  const bad = new Set(problems.map(({ node }) => node));
  // Others that wait may be starting, and the inventory has not heard of it: they keep their places, and what is held for them.
  const missing = net.waiting.filter((each) => bad.has(each.replica.node) && !hasDataOnNode(each, net));
  if (missing.length === 0) return undefined;
  const { plan, request } = reservation;
  const moved = new Set(missing.map(({ replica }) => replica));
  const rest = plan.units.map((unit) => ({ ...unit, replicas: unit.replicas.filter((replica) => !moved.has(replica)) }));
  const counts = Map.groupBy(missing, ({ unit }) => unit.id);
  const units = request.units.flatMap((unit) => {
    const count = counts.get(unit.id)?.length ?? 0;
    // Ports and addresses are the lease's already, however many replicas answer on them.
    if (count === 0) return [];
    const asked = { ...unit, gpus: asKept(unit, rest), volumes: asPlanned(unit, plan) };
    return [{ ...asked, count, randomPorts: undefined, leasedIps: undefined }];
  });
  return { request: { units }, kept: { ...plan, units: rest } };
}

/** The plan of a lease after its missing replicas got other places. */
export function withReplicas(kept: Plan, placed: Plan): Plan {
  const added = new Map(placed.units.map((unit) => [unit.id, unit])); // id -> unit
  const units = kept.units.map((unit): PlannedUnit => {
    const { replicas = [], volumes = [] } = added.get(unit.id) ?? {};
    const spaces = new Map(volumes.map(({ name, space }) => [name, space]));
    return {
      ...unit,
      volumes: unit.volumes.map((volume) => ({ ...volume, space: bothSpaces(volume.space, spaces.get(volume.name)) })),
      replicas: [...unit.replicas, ...replicas],
    };
  });
  return { ...kept, units };
}

/** Of the resource that the cards of kept replicas are of: all pods have one template. Where none is kept, no pod would be replaced by one of another resource. */
function asKept({ id, gpus }: Unit, kept: readonly PlannedUnit[]): Unit['gpus'] {
  if (gpus === undefined) return undefined;
  const replicas = kept.find((unit) => unit.id === id)?.replicas ?? [];
  return { ...gpus, resource: replicas.find(({ cards }) => cards !== undefined)?.cards?.resource };
}

/** With the classes that were planned: all replicas have one claim template, though another class may be the default by now. */
function asPlanned({ id, volumes }: Unit, { units }: Plan): readonly Volume[] {
  const classes = new Map(units.find((unit) => unit.id === id)?.volumes.map((volume) => [volume.name, volume.class]));
  return volumes.map((volume) => (isPersistent(volume) ? { ...volume, class: classes.get(volume.name) ?? volume.class } : volume));
}

/** Of replicas that were planned at different times: what either may draw on. */
function bothSpaces(kept: PlannedSpace | undefined, placed: PlannedSpace | undefined): PlannedSpace | undefined {
  if (kept === undefined || placed === undefined) return kept;
  const [some, others] = [kept.ephemeralNodes, placed.ephemeralNodes];
  return {
    isNodeLocal: kept.isNodeLocal || placed.isNodeLocal,
    copies: Math.max(kept.copies, placed.copies),
    copiesOnNode: Math.max(kept.copiesOnNode, placed.copiesOnNode),
    apartFrom: kept.apartFrom.filter((name) => placed.apartFrom.includes(name)),
    ephemeralNodes: some === 'any' || others === 'any' ? 'any' : [...new Set([...some, ...others])],
  };
}

/** A volume that is made lies where it lies; one of a class that nobody tells of may lie on the node. */
function hasDataOnNode({ unit, replica }: WaitingReplica, { holds }: NetHolds): boolean {
  const unclaimed = holds.nodes.get(replica.node)?.volumes;
  return unit.volumes.some(({ class: name, bytes, space }) => space?.isNodeLocal !== false && (unclaimed?.get(name) ?? 0) < bytes);
}
