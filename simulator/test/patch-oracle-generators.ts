import * as fc from 'fast-check';
import type { Json, JsonObject } from '../src/schema/index.ts';
import type { Step } from './patch-oracle.ts';

const manager = fc.constantFrom('one', 'two', 'three');
const key = fc.constantFrom('a', 'b', 'c');
const value = fc.constantFrom('1', '2');
const texts = fc.dictionary(key, value, { maxKeys: 3 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

/** An object of those fields that were drawn. */
function drawn(fields: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> {
  return fc.record(Object.fromEntries(Object.entries(fields).map(([name, arbitrary]) => [name, maybe(arbitrary)]))).map((record) => {
    return Object.fromEntries(
      Object.entries(record).flatMap(([name, child]): [string, Json][] => (child === undefined ? [] : [[name, child]])),
    );
  });
}

const metadata = drawn({ labels: texts, annotations: texts });
const configMap = drawn({ data: texts, metadata });

const part = fc.record({
  name: key,
  rest: drawn({ protocol: fc.constantFrom('TCP', 'UDP'), amount: fc.constantFrom(1, 2), extra: texts }),
});
const parts = fc
  .uniqueArray(part, { maxLength: 3, selector: ({ name, rest }) => `${name} ${String(rest['protocol'] ?? 'TCP')}` })
  .map((list) => list.map(({ name, rest }): Json => ({ name, ...rest })));
const gadget = drawn({
  size: fc.constantFrom(1, 2),
  tags: fc.uniqueArray(key, { maxLength: 3 }),
  steps: fc.array(key, { maxLength: 2 }),
  parts,
  settings: texts,
  whole: drawn({ a: value, b: value }),
  open: drawn({ x: texts, y: value, z: fc.array(value, { maxLength: 2 }) }),
});

const jsonPatch: fc.Arbitrary<Json> = fc.array(
  fc.oneof(
    fc.record({ op: fc.constantFrom('add', 'replace'), path: key.map((name) => `/data/${name}`), value }),
    fc.record({ op: fc.constant('remove'), path: key.map((name) => `/data/${name}`) }),
    fc.record({ op: fc.constant('test'), path: key.map((name) => `/data/${name}`), value }),
    fc.record({ op: fc.constant('move'), from: key.map((name) => `/data/${name}`), path: key.map((name) => `/data/${name}`) }),
  ),
  { minLength: 1, maxLength: 3 },
);

const nullable = fc.dictionary(key, fc.option(value, { nil: null }), { maxKeys: 3 });
const mergePatch = drawn({ data: nullable, metadata: drawn({ labels: nullable }) });

const applied = (body: fc.Arbitrary<JsonObject>): fc.Arbitrary<Step> =>
  fc.record({ verb: fc.constant('apply' as const), manager, body, force: fc.boolean() });
const sequence = (step: fc.Arbitrary<Step>): fc.Arbitrary<readonly Step[]> => fc.array(step, { minLength: 2, maxLength: 4 });

/** Applies by several managers, and updates between them. */
export const configMapWrites: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    applied(configMap),
    sequence(
      fc.oneof(
        { arbitrary: applied(configMap), weight: 3 },
        { arbitrary: fc.record({ verb: fc.constant('json' as const), manager, patch: jsonPatch }), weight: 1 },
        { arbitrary: fc.record({ verb: fc.constantFrom('merge' as const, 'strategic' as const), manager, patch: mergePatch }), weight: 1 },
      ),
    ),
  )
  .map(([first, rest]) => [first, ...rest]);

export const gadgetWrites: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    applied(gadget.map((spec) => ({ spec }))),
    sequence(
      fc.oneof(
        { arbitrary: applied(gadget.map((spec) => ({ spec }))), weight: 3 },
        { arbitrary: fc.record({ verb: fc.constant('merge' as const), manager, patch: gadget.map((spec) => ({ spec })) }), weight: 1 },
      ),
    ),
  )
  .map(([first, rest]) => [first, ...rest]);

const containerName = fc.constantFrom('m', 'n', 'o');
const containerChange: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ name: containerName, image: fc.constantFrom('registry.example/x', 'registry.example/y') }),
  fc.record({
    name: containerName,
    image: fc.constant('registry.example/z'),
    env: fc.uniqueArray(fc.record({ name: key, value }), { maxLength: 3, selector: ({ name }) => name }),
  }),
  fc.record({
    name: containerName,
    image: fc.constant('registry.example/z'),
    env: fc.uniqueArray(
      key.map((name): JsonObject => ({ name, $patch: 'delete' })),
      { maxLength: 2, selector: ({ name }) => name },
    ),
  }),
);

/** Strategic patches of the containers of one pod template: changes, deletions and orders. */
export const containerPatches: fc.Arbitrary<readonly Json[]> = fc.array(
  fc.record({
    containers: fc.uniqueArray(containerChange, { maxLength: 3, selector: (change) => String((change as JsonObject)['name']) }),
    tolerations: fc.array(fc.record({ key, operator: fc.constant('Exists') }), { maxLength: 2 }),
    nodeSelector: nullable,
  }),
  { minLength: 1, maxLength: 3 },
);
