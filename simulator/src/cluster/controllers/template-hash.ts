import { hash } from '../machine/hardware.ts';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name for a template: equal for equal ones, whatever the order of their keys. */
export function templateHash(template: unknown): string {
  const text = canonical(template);
  let value = BigInt(hash(text)) * 0x1_0000_0000n + BigInt(hash(`${text}.`));
  let name = '';
  for (let i = 0; i < 10; i += 1) {
    name += alphabet.charAt(Number(value % BigInt(alphabet.length)));
    value /= BigInt(alphabet.length);
  }
  return name;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, each]) => each !== undefined && each !== null);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`)
    .join(',')}}`;
}
