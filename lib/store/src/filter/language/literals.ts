import { maxDuration, maxTimestamp, minTimestamp } from './bounds.ts';

const timestampForm = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Microseconds since 1970 of an RFC 3339 text, rounded down; undefined when it is none or outside of the years 1 to 9999. */
export function parseTimestamp(text: string): bigint | undefined {
  const found = timestampForm.exec(text);
  if (found === null) return undefined;
  const [, date = '', time = '', fraction = '', sign, hours = '0', minutes = '0'] = found;
  const millis = Date.parse(`${date}T${time}Z`);
  // Days that a month does not have and the like are moved on by the parser, not refused.
  if (Number.isNaN(millis) || !new Date(millis).toISOString().startsWith(`${date}T${time}`)) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = BigInt(Number(hours) * 60 + Number(minutes)) * 60_000_000n * (sign === '-' ? -1n : 1n);
  const micros = BigInt(millis) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6)) - offset;
  return micros < minTimestamp || micros > maxTimestamp ? undefined : micros;
}

const unitNanos: ReadonlyMap<string, bigint> = new Map([
  ['h', 3_600_000_000_000n],
  ['m', 60_000_000_000n],
  ['s', 1_000_000_000n],
  ['ms', 1_000_000n],
  ['us', 1000n],
  ['ns', 1n],
]);
const durationForm = /^([+-])?((?:\d{1,18}(?:\.\d{1,18})?(?:h|ms|us|ns|m|s))+)$/;
const durationPart = /(\d+)(?:\.(\d+))?(h|ms|us|ns|m|s)/g;

/** Whole microseconds of a text such as `1h30m` or `-1.5s`, towards zero; undefined when it is none or longer than 10 000 years. */
export function parseDuration(text: string): bigint | undefined {
  const found = durationForm.exec(text);
  if (found === null) return undefined;
  let nanos = 0n;
  for (const [, whole = '0', fraction = '', unit = 's'] of (found[2] ?? '').matchAll(durationPart)) {
    nanos += (BigInt(whole + fraction) * (unitNanos.get(unit) ?? 1n)) / 10n ** BigInt(fraction.length);
  }
  const micros = nanos / 1000n;
  if (micros > maxDuration) return undefined;
  return found[1] === '-' ? -micros : micros;
}

/** RFC 3339 with six digits of a second. For the years 1 to 9999. */
export function formatTimestamp(micros: bigint): string {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = Number((micros - rest) / 1_000_000n);
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(rest).padStart(6, '0')}Z`;
}
