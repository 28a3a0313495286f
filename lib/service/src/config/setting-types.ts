/** Types of settings that zod does not have. Each reads the text that a person writes and gives the value that code works with. */
import { bytes, messageOf, parseQuantity, type Quantity } from '@quartermaster/kernel';
import * as z from 'zod';
import { Secret } from './secret.ts';

declare module 'zod' {
  interface GlobalMeta {
    /** May change while the process runs. Anything else takes effect with the next start. */
    readonly reloadable?: boolean | undefined;
    /** Never shown; set by `secret`. */
    readonly secret?: boolean | undefined;
    /** What the reference calls the type. */
    readonly typeName?: string | undefined;
    /** Of the environment, where the usual one means something else. */
    readonly variable?: string | undefined;
  }
}

// unit -> milliseconds
const units: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

const durationForm = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/** Milliseconds of a text such as `10s`, `1h30m`, `1.5s` or `0`; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!durationForm.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g);
  let total = 0;
  for (const [, amount = '', unit = ''] of parts) total += Number(amount) * (units.get(unit) ?? Number.NaN);
  return Math.round(total);
}

/** The shortest text that `parseDuration` reads as so many milliseconds. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  let rest = Math.round(ms);
  let text = '';
  for (const [unit, size] of [...units].reverse()) {
    const amount = Math.floor(rest / size);
    if (amount > 0) text += `${amount}${unit}`;
    rest -= amount * size;
  }
  return text;
}

export interface DurationLimits {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** A length of time such as `10s`; gives milliseconds. A default is written as text: `.prefault('10s')`. */
export function duration(limits: DurationLimits = {}): z.ZodType<number, string> {
  const min = limitMs(limits.min ?? '0', 'min');
  const max = limits.max === undefined ? Number.MAX_SAFE_INTEGER : limitMs(limits.max, 'max');
  return fromText('must be a duration such as 500ms, 10s, 5m or 1h30m', (written) => {
    const ms = parseDuration(written);
    if (ms === undefined) throw new RangeError('must be a duration such as 500ms, 10s, 5m or 1h30m');
    if (ms < min) throw new RangeError(`must be at least ${formatDuration(min)}`);
    if (ms > max) throw new RangeError(`must be at most ${formatDuration(max)}`);
    return ms;
  }).meta({ typeName: 'duration' });
}

/** An amount as Kubernetes writes it: `250m`, `1.5Gi`. */
export function quantity(): z.ZodType<Quantity, string | number> {
  return fromTextOrNumber('must be a quantity such as 500m, 4 or 1.5Gi', parseQuantity).meta({ typeName: 'quantity' });
}

/** A number of bytes, with an optional suffix of a quantity: `64Mi`, `1G`, `4096`. */
export function byteSize(): z.ZodType<number, string | number> {
  return fromTextOrNumber('must be a number of bytes such as 4096, 64Mi or 1G', (written) => {
    const size = bytes(written);
    if (size < 0) throw new RangeError('must not be negative');
    return size;
  }).meta({ typeName: 'bytes' });
}

/** A text that is held as a `Secret` and never shown, in errors neither. */
export function secret(inner: z.ZodType<string, string> = z.string().min(1, 'must not be empty')): z.ZodType<Secret, string> {
  return inner.transform((value) => new Secret(value)).meta({ secret: true, typeName: 'secret' });
}

function fromText<T>(rule: string, read: (text: string) => T): z.ZodType<T, string> {
  return z.string({ error: rule }).transform((written, ctx) => reading(written, ctx, read));
}

function fromTextOrNumber<T>(rule: string, read: (text: string) => T): z.ZodType<T, string | number> {
  return z.union([z.string(), z.number()], { error: rule }).transform((written, ctx) => reading(String(written), ctx, read));
}

function reading<T>(written: string, ctx: z.RefinementCtx, read: (text: string) => T): T {
  try {
    return read(written);
  } catch (thrown) {
    ctx.addIssue({ code: 'custom', message: messageOf(thrown) });
    return z.NEVER;
  }
}

function limitMs(written: string, which: 'min' | 'max'): number {
  const ms = parseDuration(written);
  if (ms === undefined)
    throw new RangeError(`the ${which} of a duration must be a duration such as 10s, but is ${JSON.stringify(written)}`);
  return ms;
}
