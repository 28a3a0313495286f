import { createHash } from 'node:crypto';

/** Of a Secret. */
const maxKey = 253;

/**
 * The key of a variable's value. It has the place of the variable among those of its service, by which the order is known again, and is unlike the key of any other: a
 * service's name has no dot.
 */
export function variableKey(service: string, place: number, name: string): string {
  const key = `${service}.${place}.${name}`;
  if (key.length <= maxKey && /^[-._a-zA-Z0-9]+$/.test(key)) return key;
  return `${service}.${place}.${createHash('sha256').update(name).digest('hex')}`;
}

/** Undefined where it is not of a variable. */
export function placeOf(key: string): number | undefined {
  const [, place] = /^[^.]*\.(\d{1,9})\./.exec(key) ?? [];
  return place === undefined ? undefined : Number(place);
}

export const passwordKey = (service: string): string => `${service}.password`;
