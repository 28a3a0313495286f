import { groupKey } from './card-offer.ts';
import type { Request, Unit } from './request.ts';
import { unitLimits } from './request-limits.ts';
import type { Stock } from './stock.ts';
import type { CardGroup } from './stock-facts.ts';

/** One change with which the request would be placed now. */
export type Change =
  /** The most that fits, of storage for one volume; the rest of the request stays as it is. */
  | {
      readonly kind: 'less';
      readonly unit: number;
      readonly what: Amount;
      readonly volume?: string | undefined;
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'other-model'; readonly unit: number; readonly group: CardGroup }
  /** Once these reservations are given back. */
  | { readonly kind: 'release'; readonly ids: readonly string[] };

export type Amount = 'replicas' | 'gpus' | 'cpu-millis' | 'memory-bytes' | 'storage-bytes';

export type Fits = (request: Request) => boolean;

const Mi = 2 ** 20;
const maxModels = 5;

interface Shrinking {
  readonly what: Amount;
  readonly volume?: string;
  readonly from: number;
  readonly least: number;
  /** Told amounts are multiples of it: nobody orders single bytes. */
  readonly step: number;
  readonly to: (amount: number) => Unit;
}

/*
 * Changes to one unit that help by themselves. Each was placed before it is told, so that it is true as long as the stock stays as it is.
 */

/** Fewer replicas or cards, or other cards. */
export function fewerOrOthers(stock: Stock, request: Request, fits: Fits): readonly Change[] {
  return request.units.flatMap((unit, at) => {
    const isPlaced = (changed: Unit): boolean => fits({ units: request.units.with(at, changed) });
    const { gpus } = unit;
    return [
      ...less(unit, { what: 'replicas', from: unit.count, least: 1, step: 1, to: (count) => ({ ...unit, count }) }, isPlaced),
      ...(gpus === undefined
        ? []
        : less(
            unit,
            { what: 'gpus', from: gpus.count, least: 1, step: 1, to: (count) => ({ ...unit, gpus: { ...gpus, count } }) },
            isPlaced,
          )),
      ...otherModels(stock, unit, isPlaced),
    ];
  });
}

/** The same replicas, each with less. */
export function smaller(request: Request, fits: Fits): readonly Change[] {
  return request.units.flatMap((unit, at) => {
    const isPlaced = (changed: Unit): boolean => fits({ units: request.units.with(at, changed) });
    const volumes = unit.volumes.map((volume, i): Shrinking => {
      const to = (bytes: number): Unit => ({ ...unit, volumes: unit.volumes.with(i, { ...volume, bytes }) });
      return { what: 'storage-bytes', volume: volume.name, from: volume.bytes, least: unitLimits.volumeBytes.min, step: Mi, to };
    });
    const shrinkings: readonly Shrinking[] = [
      { what: 'cpu-millis', from: unit.cpuMillis, least: 100, step: 100, to: (cpuMillis) => ({ ...unit, cpuMillis }) },
      { what: 'memory-bytes', from: unit.memoryBytes, least: Mi, step: Mi, to: (memoryBytes) => ({ ...unit, memoryBytes }) },
      ...volumes,
    ];
    return shrinkings.flatMap((shrinking) => less(unit, shrinking, isPlaced));
  });
}

/** Where something is held, and can be given back for a trial. */
export type Holding = Pick<Stock, 'holdsOf' | 'release' | 'hold' | 'atOnce'>;

const maxReleases = 100;

/** What is about to be given back, the first first: as many of them as are needed. Everything is held as before afterwards. */
export function releasesThatHelp(holding: Holding, ids: readonly string[], fits: () => boolean): readonly Change[] {
  const held = ids.slice(0, maxReleases).flatMap((id) => {
    const holds = holding.holdsOf(id);
    return holds === undefined ? [] : [{ id, holds }];
  });
  if (held.length === 0) return [];
  let released = 0;
  const release = (count: number): void =>
    holding.atOnce(() => {
      for (; released < count; released += 1) holding.release(held[released]?.id ?? '');
      for (const { id, holds } of held.slice(count, released)) holding.hold(id, holds);
      released = count;
    });
  try {
    release(held.length);
    if (!fits()) return [];
    let [bad, good] = [0, held.length];
    while (good - bad > 1) {
      const middle = Math.floor((good + bad) / 2);
      release(middle);
      if (fits()) good = middle;
      else bad = middle;
    }
    return [{ kind: 'release', ids: held.slice(0, good).map(({ id }) => id) }];
  } finally {
    release(0);
  }
}

function less(unit: Unit, shrinking: Shrinking, isPlaced: (changed: Unit) => boolean): readonly Change[] {
  const { what, volume, from } = shrinking;
  const to = mostThatFits(shrinking, (amount) => isPlaced(shrinking.to(amount)));
  return to === undefined ? [] : [{ kind: 'less', unit: unit.id, what, volume, from, to }];
}

/** Less always fits where more does, so that half of what is left is ruled out each time. */
function mostThatFits({ from, least, step }: Shrinking, fits: (amount: number) => boolean): number | undefined {
  let [good, bad] = [Math.ceil(least / step), Math.ceil(from / step)];
  if (good >= bad || !fits(good * step)) return undefined;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (fits(middle * step)) good = middle;
    else bad = middle;
  }
  return good * step;
}

/** Groups that are somewhere free, those with the most alike memory first. */
function otherModels(stock: Stock, unit: Unit, fits: (unit: Unit) => boolean): readonly Change[] {
  const { gpus } = unit;
  if (gpus === undefined || gpus.count === 0) return [];
  const wanted = gpus.wants.find(({ memoryBytes }) => memoryBytes !== undefined)?.memoryBytes ?? 0;
  const distance = ({ memoryBytes }: CardGroup): number => Math.abs(memoryBytes - wanted);
  const groups = new Map<string, CardGroup>();
  for (const { kind } of stock.index.shelves) for (const group of kind.groups) groups.set(groupKey(group), group);
  const changes: Change[] = [];
  for (const group of [...groups.values()].toSorted((a, b) => distance(a) - distance(b) || (groupKey(a) < groupKey(b) ? -1 : 1))) {
    if (changes.length === maxModels) break;
    const { vendor, model, memoryBytes } = group;
    const wants = [
      {
        vendor,
        model,
        interface: group.interface === '' ? undefined : group.interface,
        memoryBytes: memoryBytes === 0 ? undefined : memoryBytes,
      },
    ];
    if (fits({ ...unit, gpus: { ...gpus, wants } })) changes.push({ kind: 'other-model', unit: unit.id, group });
  }
  return changes;
}
