import type { Host } from '../hosts/host.ts';

export interface PlacedHost {
  readonly host: Host;
  /** The lowest unit that it takes up, from 1. */
  readonly unit: number;
  readonly height: number;
}

/** A rack as it stands there. */
export interface RackElevation {
  readonly rack: string;
  /** How many units are drawn. */
  readonly units: number;
  /** None of them over another. */
  readonly placed: readonly PlacedHost[];
  /** In the rack, but nobody knows where. */
  readonly loose: readonly Host[];
  /** Said to be where another one is. */
  readonly clashing: readonly { readonly host: Host; readonly with: Host }[];
  /** From top to bottom, those that nobody is in. */
  readonly free: readonly number[];
}

const defaultUnits = 42;
/** Beyond any rack: such a place is a mistake, and drawing it would fill the page. */
const maxUnits = 60;

/** What stands where in one rack. Of two hosts that claim a place, the one with the lower unit, then the lower id, is drawn there. */
export function rackElevation(rack: string, hosts: readonly Host[]): RackElevation {
  const placed: PlacedHost[] = [];
  const loose: Host[] = [];
  const clashing: { readonly host: Host; readonly with: Host }[] = [];
  const holders = new Map<number, Host>(); // unit -> who is there
  const sorted = hosts.toSorted((a, b) => unitOf(a) - unitOf(b) || (a.id < b.id ? -1 : 1));
  for (const host of sorted) {
    const unit = unitOf(host);
    const height = Math.max(1, host.spec?.rack_height ?? 1);
    if (unit < 1 || unit + height - 1 > maxUnits) {
      loose.push(host);
      continue;
    }
    const taken = Array.from({ length: height }, (_, offset) => unit + offset);
    const other = taken.map((each) => holders.get(each)).find((each) => each !== undefined);
    if (other !== undefined) {
      clashing.push({ host, with: other });
      continue;
    }
    for (const each of taken) holders.set(each, host);
    placed.push({ host, unit, height });
  }
  const units = Math.max(defaultUnits, ...holders.keys());
  const free = Array.from({ length: units }, (_, index) => units - index).filter((unit) => !holders.has(unit));
  return { rack, units, placed, loose, clashing, free };
}

const unitOf = ({ spec }: Host): number => spec?.rack_unit ?? 0;

/** Hosts by the rack that they stand in, in the order of the alphabet of people who count. Those without a rack are left out. */
export function racksOf(hosts: readonly Host[]): readonly RackElevation[] {
  const racks = Map.groupBy(
    hosts.filter(({ spec }) => (spec?.rack ?? '') !== ''),
    ({ spec }) => spec?.rack ?? '',
  );
  return [...racks].map(([rack, inRack]) => rackElevation(rack, inRack)).toSorted((a, b) => natural.compare(a.rack, b.rack));
}

const natural = new Intl.Collator('en', { numeric: true });
