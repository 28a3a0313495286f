import type { Environment } from '@marcbachmann/cel-js';
import { goPattern } from './go-pattern.ts';

function findAll(text: string, pattern: string, limit = -1n): string[] {
  const compiled = goPattern(pattern);
  if (compiled === undefined) throw new Error(`Illegal regex: ${pattern}`);
  const matches = Array.from(text.matchAll(new RegExp(compiled, `g${compiled.flags}`)), ([match]) => match);
  return limit < 0n ? matches : matches.slice(0, Number(limit));
}

/** A value as `%s` writes it; a text inside of a list or a map is quoted. */
function asText(value: unknown, isInside = false): string {
  if (typeof value === 'string') return isInside ? JSON.stringify(value) : value;
  if (typeof value === 'number') return isInside ? value.toFixed(6) : String(value);
  if (value instanceof Uint8Array) return isInside ? `b${JSON.stringify(Buffer.from(value).toString())}` : Buffer.from(value).toString();
  if (value instanceof Date) return isInside ? `timestamp("${asText(value)}")` : value.toISOString().replace(/\.?0*Z$/, 'Z');
  if (Array.isArray(value)) return `[${value.map((each) => asText(each, true)).join(', ')}]`;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return String(value);
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${asText(each, true)}`);
  return `{${entries.sort().join(', ')}}`;
}

function fraction(value: unknown, write: (number: number) => string): string | undefined {
  return typeof value === 'number' ? write(value) : undefined;
}

/** What a clause makes of a value; undefined where it takes no such value. */
function written(clause: string, digits: number, value: unknown): string | undefined {
  switch (clause) {
    case 's':
      return asText(value);
    case 'd':
      return typeof value === 'bigint' ? String(value) : undefined;
    case 'f':
      return fraction(value, (number) => number.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits }));
    case 'e':
      return fraction(value, (number) => number.toExponential(digits).replace(/([+-])(\d)$/, '$10$2'));
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : typeof value === 'bigint' ? value.toString(2) : undefined;
    case 'o':
      return typeof value === 'bigint' ? value.toString(8) : undefined;
    default: {
      const isBytes = typeof value === 'string' || value instanceof Uint8Array;
      const hex = isBytes ? Buffer.from(value).toString('hex') : typeof value === 'bigint' ? value.toString(16) : undefined;
      return clause === 'X' ? hex?.toUpperCase() : hex;
    }
  }
}

function format(text: string, values: readonly unknown[]): string {
  let used = 0;
  return text.replaceAll(
    /%(?:%|(?:\.(\d{1,3}))?([sdfebxXo])|)/g,
    (whole: string, digits: string | undefined, clause: string | undefined) => {
      if (whole === '%%') return '%';
      if (clause === undefined) throw new Error(`could not parse formatting clause of ${JSON.stringify(text)}`);
      if (used >= values.length) throw new Error(`index ${used} out of range`);
      const result = written(clause, Number(digits ?? 6), values[used]);
      if (result === undefined) throw new Error(`error during formatting: %${clause} does not take ${asText(values[used], true)}`);
      used += 1;
      return result;
    },
  );
}

/** What Kubernetes adds to texts. */
export function addTexts(environment: Environment): Environment {
  return environment
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) => text.replaceAll(from, to))
    .registerFunction('string.find(string): string', (text: string, pattern: string) => findAll(text, pattern, 1n)[0] ?? '')
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => findAll(text, pattern))
    .registerFunction('string.findAll(string, int): list<string>', findAll)
    .registerFunction('string.format(list): string', format);
}
