import { expect } from 'vitest';

/** Every secret of a test has this in it; each has a number of its own behind it. */
export const mark = 'canary7f3a';

export const base64Of = (text: string): string => Buffer.from(text).toString('base64');

/** The forms in which a secret could lie around. */
const forms: readonly string[] = [
  mark,
  Buffer.from(mark).toString('hex'),
  // Where three bytes begin depends on what is before it.
  ...[0, 1, 2].map((before) => base64Of(`${'x'.repeat(before)}${mark}`).slice(before === 0 ? 0 : 4, -4)),
];

/** Fails when a text has a planted secret in it, with where that is. */
export function expectNone(place: string, text: string): void {
  for (const form of forms) {
    const at = text.indexOf(form);
    expect(at < 0 ? undefined : text.slice(Math.max(0, at - 200), at + 100), `${place} has a secret as ${form}`).toBeUndefined();
  }
}

/** All that a value holds, the causes of errors and the texts in bytes included. */
export function textOf(value: unknown): string {
  if (value instanceof Error)
    return `${value.message} ${textOf(Object.fromEntries(Object.entries(value)))} ${value.cause === undefined ? '' : textOf(value.cause)}`;
  const plain = (_key: string, each: unknown): unknown => {
    if (typeof each === 'bigint') return String(each);
    // Bytes as text, which is what is looked for.
    return each instanceof Uint8Array ? Buffer.from(each).toString('latin1') : each;
  };
  return JSON.stringify(value, (key, each: unknown) => plain(key, isBuffer(each) ? Uint8Array.from(each.data) : each)) ?? '';
}

function isBuffer(value: unknown): value is { readonly data: readonly number[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'Buffer' &&
    'data' in value &&
    Array.isArray(value.data)
  );
}

/** Of the private key of a kubeconfig, a part that no other key has: it begins as all of them do. */
export const keyOfKubeconfig = (text: string): string => /client-key-data:(?:\s|>-)*(\S+)/.exec(text)?.[1]?.slice(120, 160) ?? '';

/** The bytes in a row of text, which has them as \x0123. */
export function decodedBytes(row: string): string {
  return [...row.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1')).join(' ');
}
