import type { AvailabilityJson, ReservableAmountJson, StorageAvailabilityJson } from '@quartermaster/api/cluster';
import type { CapacityLine } from '@quartermaster/api/inventory-views';
import type { Division } from '@quartermaster/api/states';
import { groupName, numberOf } from './card-names.ts';
import type { SoldDivision } from './fill.ts';

/** What reservations hold of a resource, beyond what their pods have. */
export interface ReservedAmount {
  readonly pending: number;
  readonly active: number;
  /** What is promised on nodes that take nothing new, or beyond what there is. */
  readonly overcommitted: number;
  /** What can still be promised. */
  readonly available: number;
  /** What is never sold. */
  readonly headroom?: number | undefined;
  /** Whether more may be promised of it than there is: a storage class, by its commit level. */
  readonly isOversold?: boolean | undefined;
}

/** Undefined where nothing is reserved by anybody: without a cluster service. */
export type LineReserved = ReservedAmount | 'unknown' | undefined;

/** What is known of reservations: of a service that does not answer nothing, which is not that there are none. */
export type Reservations =
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly why: string; readonly isWaiting?: boolean | undefined }
  | { readonly kind: 'known'; readonly availability: AvailabilityJson };

type LineName = Pick<CapacityLine, 'kind' | 'name'>;

/** What is reserved of the resource, the GPU model or the storage class of a line. */
export function reservedOf(line: LineName, reservations: Reservations): LineReserved {
  if (reservations.kind === 'none') return undefined;
  if (reservations.kind === 'unknown') return 'unknown';
  const amounts = amountsOf(line, reservations.availability);
  if (amounts.includes(undefined)) return 'unknown';
  const sum = (of: 'pending' | 'active' | 'overcommitted' | 'available' | 'headroom'): number =>
    amounts.reduce((total, amount) => total + numberOf(amount?.[of]), 0);
  return {
    pending: sum('pending'),
    active: sum('active'),
    overcommitted: sum('overcommitted'),
    available: sum('available'),
    headroom: sum('headroom'),
    isOversold: line.kind === 'class',
  };
}

/** Empty for what nobody can reserve; with undefined for what is not known. */
function amountsOf({ kind, name }: LineName, availability: AvailabilityJson): readonly (ReservableAmountJson | undefined)[] {
  const { cpu, memory, ephemeralStorage, gpus = [], storage = [] } = availability;
  const totals: Readonly<Record<string, ReservableAmountJson | undefined>> = { cpu, memory, disk: ephemeralStorage };
  switch (kind) {
    case 'class':
      return [classAmount(storage.find(({ storageClass }) => storageClass === name))];
    case 'model':
      return gpus.filter(({ group = {} }) => groupName(group) === name).map(({ amount }) => amount);
    case 'resource':
      return name === 'gpu' ? gpus.map(({ amount }) => amount) : name in totals ? [totals[name]] : [];
  }
}

/** Of a class that is refused nothing could be promised, whether or not there is an amount. */
const classAmount = (found: StorageAvailabilityJson | undefined): ReservableAmountJson | undefined =>
  found?.refusal === undefined ? found?.amount : {};

export interface ReservedDivision extends SoldDivision {
  /** Of what is held back, what the inventory would sell and the cluster service does not. */
  readonly kept: number;
  /** Of that, what is never sold. */
  readonly headroom: number;
  /** Promised on nodes that take nothing new, or beyond what there is. It is in none of the parts. */
  readonly beyond: number;
}

/**
 * Leaves as sellable what both the inventory and the service would sell, so that the parts still add up to the whole: of what the service does not sell, what is
 * reserved, and the rest as held back. They speak one after the other: a reservation whose pods have just been counted is not counted once more, since it leaves no
 * less available than the inventory has.
 */
export function lessReserved(division: Division, reserved: LineReserved): ReservedDivision {
  if (reserved === undefined || reserved === 'unknown') return { ...division, kept: 0, headroom: 0, beyond: 0 };
  const { pending, active, overcommitted, available, headroom = 0, isOversold = false } = reserved;
  const held = pending + active;
  const missing = Math.max(division.sellable - available, isOversold ? Math.min(held - overcommitted, division.sellable) : 0, 0);
  const taken = Math.min(missing, held);
  return {
    ...division,
    reserved: taken,
    sellable: division.sellable - missing,
    heldBack: division.heldBack + missing - taken,
    kept: missing - taken,
    headroom: Math.min(missing - taken, headroom),
    beyond: Math.min(held - taken, overcommitted),
  };
}
