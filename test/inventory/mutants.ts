import type { Random } from '@quartermaster/kernel';
import type { KubeObject } from '@quartermaster/kube';

/** What takes the place of a part of an object: what somebody may have written, and what nobody ever would. */
const strange: readonly unknown[] = [
  null,
  '',
  ' ',
  'x',
  '12Gib',
  '-5',
  '-1Gi',
  '1e30',
  '0.000000000000001',
  '0001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  'True',
  '__proto__',
  0,
  -1,
  0.5,
  2 ** 53,
  1e300,
  true,
  false,
  [],
  [null],
  ['x'],
  [[]],
  {},
  { x: null },
  { x: [] },
  { constructor: 1 },
];

/** The object under another name, wherever it says its own, with one to three of its parts taken away or replaced, never those that identify it. */
export function mutant(sample: KubeObject, name: string, random: Random): KubeObject {
  const { metadata, ...rest } = JSON.parse(JSON.stringify(sample).replaceAll('sample', name)) as KubeObject;
  const { name: _name, namespace, uid: _uid, ...others } = metadata ?? {};
  const parts = { metadata: others, ...rest };
  // Mostly one: those that are almost good get furthest.
  for (let left = 1 + Math.floor(random.next() ** 3 * 3); left > 0; left -= 1) change(parts, random);
  const given: object = typeof parts.metadata === 'object' && parts.metadata !== null ? parts.metadata : {};
  return { ...parts, metadata: { ...given, name, namespace, uid: `uid-of-${name}`, resourceVersion: '1' } };
}

function change(root: object, random: Random): void {
  const places = [...placesIn(root)];
  const place = places[Math.floor(random.next() * places.length)];
  if (place === undefined) return;
  const { holder, key } = place;
  if (random.next() < 0.2) Reflect.deleteProperty(holder, key);
  else Reflect.set(holder, key, structuredClone(strange[Math.floor(random.next() * strange.length)]));
}

function* placesIn(holder: object): Generator<{ readonly holder: object; readonly key: string }> {
  for (const [key, value] of Object.entries<unknown>({ ...holder })) {
    yield { holder, key };
    if (typeof value === 'object' && value !== null) yield* placesIn(value);
  }
}
