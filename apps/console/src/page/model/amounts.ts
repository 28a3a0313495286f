export { sentenceCase } from '@quartermaster/api/states';

const thinSpace = '\u202f';
export const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const;

/** An exact integer, its thousands set apart: `12 345`. */
export function formatInteger(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, thinSpace);
}

/** `5.2 TiB`. One decimal below 100, none where it would be a zero. */
export function formatBytes(bytes: number): string {
  const unit = unitOf(bytes);
  return `${short(bytes / 1024 ** unit)} ${byteUnits[unit] ?? ''}`;
}

/** `5.2 of 8 TiB`: both in the unit of the larger, so that they can be compared at a glance. */
export function formatBytesOf(part: number, total: number): string {
  const unit = unitOf(Math.max(part, total));
  return `${short(part / 1024 ** unit)} of ${short(total / 1024 ** unit)} ${byteUnits[unit] ?? ''}`;
}

/** Millicores as cores: `96`, `7.5`, `0.25`. */
export function formatCores(millis: number): string {
  const cores = millis / 1000;
  if (cores >= 100 || Number.isInteger(cores)) return formatInteger(cores);
  return String(Number(cores.toFixed(cores < 1 ? 3 : 1)));
}

/** `1 node`, `2 nodes`. */
export function countOf(count: number, noun: string): string {
  return `${formatInteger(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Largest unit of which there is at least one after rounding: 1023.96 GiB reads 1 TiB. */
function unitOf(bytes: number): number {
  let unit = 0;
  while (unit < byteUnits.length - 1 && Number((bytes / 1024 ** unit).toFixed(1)) >= 1024) unit += 1;
  return unit;
}

function short(value: number): string {
  return value >= 100 ? formatInteger(value) : String(Number(value.toFixed(1)));
}
