import type { CapacityLine } from '@quartermaster/api/inventory-views';
import { byteUnits, formatInteger } from './amounts.ts';

/** Amounts that together are a whole, in one unit, rounded so that what is shown adds up. */
export interface RoundedParts {
  /** The number alone of the sum of these parts. */
  readonly number: (...parts: readonly number[]) => string;
  /** The same with its unit. */
  readonly text: (...parts: readonly number[]) => string;
}

/** Parts of a whole are named by their index in `amounts`. What is too little to be seen in the unit of the whole is `<0.1`. */
export function roundedParts(unit: CapacityLine['unit'], amounts: readonly number[]): RoundedParts {
  const total = sum(amounts);
  const { size, suffix } = scaleOf(unit, total);
  // A tenth is told apart below a hundred.
  const step = unit === 'devices' || total / size >= 100 ? 1 : 0.1;
  const exact = amounts.map((amount) => amount / size / step);
  const steps = exact.map(Math.floor);
  const missing = Math.round(sum(exact)) - sum(steps);
  // Those that lost most by rounding down get what is missing.
  const losers = exact.map((value, index) => ({ index, lost: value - Math.floor(value) })).toSorted((a, b) => b.lost - a.lost);
  for (const { index } of losers.slice(0, missing)) steps[index] = (steps[index] ?? 0) + 1;
  const number = (...parts: readonly number[]): string => {
    const count = sum(parts.map((part) => steps[part] ?? 0));
    if (count === 0 && parts.some((part) => (amounts[part] ?? 0) > 0)) return `<${step}`;
    const value = Number((count * step).toFixed(1));
    return value >= 100 ? formatInteger(value) : String(value);
  };
  return { number, text: (...parts) => `${number(...parts)}${suffix}` };
}

function scaleOf(unit: CapacityLine['unit'], total: number): { readonly size: number; readonly suffix: string } {
  if (unit !== 'bytes') return { size: unit === 'devices' ? 1 : 1000, suffix: '' };
  let power = 0;
  while (power < byteUnits.length - 1 && Number((total / 1024 ** power).toFixed(1)) >= 1024) power += 1;
  return { size: 1024 ** power, suffix: ` ${byteUnits[power] ?? ''}` };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
