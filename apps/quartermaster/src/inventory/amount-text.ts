import type { Amount } from '@quartermaster/api/inventory';

/** What a number counts. */
export type Unit = 'millicores' | 'bytes' | 'devices';

/** Stands for everything that nobody knows. Never a zero. */
export const unknownText = '?';

/** Of lists that show what is free or sellable as the inventory knows it. */
export const reservationsNote = 'Reservations are not taken off: "quartermaster get capacity" shows what can still be sold.';

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const;

/** `5.2 TiB`, `7.5` cores, `8` devices; with `exact`, the integer. */
export function quantityText(value: bigint, unit: Unit, { exact }: { readonly exact: boolean }): string {
  if (exact || unit === 'devices') return value.toString();
  if (unit === 'millicores') return coresText(value);
  return inUnitOf([value], value);
}

/** `5.2 of 8 TiB`: both in the unit of the larger. */
export function partText(part: bigint, whole: bigint, unit: Unit, { exact }: { readonly exact: boolean }): string {
  if (exact || unit === 'devices') return `${part} of ${whole}`;
  if (unit === 'millicores') return `${coresText(part)} of ${coresText(whole)}`;
  const larger = part > whole ? part : whole;
  const scale = scaleOf(larger);
  return `${scaled(part, scale)} of ${inUnitOf([whole], larger)}`;
}

export interface TripleOptions {
  readonly exact: boolean;
  /** False for what is silent or was not all read: what it has and promised is the last known, and what is left nobody can tell. */
  readonly isKnown?: boolean | undefined;
}

/** `total/allocated/free`, such as `96/12.5/83.5` or `503/120/383 GiB`. */
export function tripleText(amount: Amount | undefined, unit: Unit, { exact, isKnown = true }: TripleOptions): string {
  if (amount === undefined) return unknownText;
  const { capacity: total, allocated, available, overcommitted } = amount;
  const values = isKnown ? [total, allocated, available] : [total, allocated];
  const largest = total > allocated ? total : allocated;
  const isNatural = !exact && unit !== 'devices';
  const suffix = isKnown ? '' : `/${unknownText}`;
  const over = overcommitted > 0n ? ` (${quantityText(overcommitted, unit, { exact })} over)` : '';
  if (!isNatural) return `${values.join('/')}${suffix}${over}`;
  if (unit === 'millicores') return `${values.map(coresText).join('/')}${suffix}${over}`;
  return `${inUnitOf(values, largest, suffix)}${over}`;
}

/** `80 GiB`; the contract writes an unknown size as 0. */
export function sizeText(bytes: bigint, style: { readonly exact: boolean }): string {
  return bytes === 0n ? unknownText : quantityText(bytes, 'bytes', style);
}

function inUnitOf(values: readonly bigint[], largest: bigint, suffix = ''): string {
  const scale = scaleOf(largest);
  return `${values.map((value) => scaled(value, scale)).join('/')}${suffix} ${byteUnits[scale] ?? ''}`;
}

function coresText(millis: bigint): string {
  const cores = Number(millis) / 1000;
  return String(Number(cores.toFixed(cores < 1 ? 3 : 1)));
}

/** The largest unit of which there is at least one after rounding: 1023.96 GiB reads 1 TiB. */
function scaleOf(bytes: bigint): number {
  let scale = 0;
  while (scale < byteUnits.length - 1 && Number((Number(bytes) / 1024 ** scale).toFixed(1)) >= 1024) scale += 1;
  return scale;
}

/** Three digits that count. */
function scaled(bytes: bigint, scale: number): string {
  const value = Number(bytes) / 1024 ** scale;
  return String(Number(value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)));
}
