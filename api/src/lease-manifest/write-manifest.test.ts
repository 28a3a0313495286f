import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Expose, ManifestGroup, ManifestService, ManifestVolume } from './manifest-group.ts';
import { readManifest } from './read-manifest.ts';
import { manifestJson } from './write-manifest.ts';

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const amount = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((each) => !/\0|\p{Surrogate}/u.test(each));
const some = <T>(arbitrary: fc.Arbitrary<T>, minLength = 0) => fc.array(arbitrary, { minLength, maxLength: 3 });
const by = <T extends { readonly name: string }>(arbitrary: fc.Arbitrary<T>) =>
  fc.uniqueArray(arbitrary, { maxLength: 3, minLength: 1, selector: ({ name }) => name });

const volume: fc.Arbitrary<ManifestVolume> = fc.record({ name: word, bytes: amount }).chain((of) =>
  fc.oneof(
    fc.constantFrom('ephemeral' as const, 'ram' as const).map((kind) => ({ ...of, kind, class: '' })),
    word.filter((each) => each !== 'ram').map((named) => ({ ...of, kind: 'persistent' as const, class: named })),
  ),
);
const http = fc.record(
  {
    maxBodySize: fc.nat({ max: 104_857_600 }),
    readTimeout: fc.nat({ max: 60_000 }),
    sendTimeout: fc.nat({ max: 60_000 }),
    nextTries: fc.nat(),
    nextTimeout: fc.nat(),
    nextCases: some(fc.constantFrom('error', '500', 'timeout')),
    proxyBufferSize: fc.integer({ min: 1, max: 1_048_576 }),
  },
  { requiredKeys: ['maxBodySize', 'readTimeout', 'sendTimeout', 'nextTries', 'nextTimeout', 'nextCases'] },
);
const expose: fc.Arbitrary<Expose> = fc.record({
  port: fc.integer({ min: 1, max: 65_535 }),
  externalPort: fc.constantFrom(0, 80, 443),
  protocol: fc.constantFrom('TCP', 'UDP'),
  service: fc.oneof(fc.constant(''), word),
  global: fc.constant(true),
  // Of more than one expose they would be of no effect, or be refused.
  hosts: fc.constant([]),
  ip: fc.oneof(fc.constant(''), word),
  endpointNumber: fc.nat({ max: 9 }),
  http,
});
const service: fc.Arbitrary<ManifestService> = fc
  .record(
    {
      name: word,
      image: fc.stringMatching(/^[\x21-\x7e]{1,20}$/),
      command: some(text),
      args: some(text),
      env: some(fc.record({ name: word, value: text })),
      resources: fc.record({
        id: fc.integer({ min: 1, max: 9 }),
        cpuMillis: amount,
        memoryBytes: amount,
        gpus: amount,
        gpuAttributes: some(fc.constantFrom('vendor/nvidia/model/*', 'vendor/amd/model/mi300x/ram/192Gi')),
        volumes: by(volume),
      }),
      count: fc.integer({ min: 1, max: 9 }),
      exposes: some(expose, 1),
      permissions: fc.uniqueArray(fc.constantFrom('logs' as const, 'events' as const, 'deployment' as const)),
      credentials: fc.record({ host: word, email: fc.oneof(fc.constant(''), word), username: word, password: word }),
    },
    {
      requiredKeys: ['name', 'image', 'command', 'args', 'env', 'resources', 'count', 'exposes', 'permissions'],
    },
  )
  .chain((of) =>
    fc
      .boolean()
      .map((readOnly) => ({ ...of, mounts: of.resources.volumes.map(({ name }) => ({ volume: name, path: `/${name}`, readOnly })) })),
  );
const groups: fc.Arbitrary<readonly ManifestGroup[]> = by(
  fc.record({ name: text.filter((each) => each !== '' && !/\p{Cc}/u.test(each)), services: by(service) }),
).map((all) => all.map((group) => ({ ...group, services: group.services.toSorted((a, b) => (a.name < b.name ? -1 : 1)) })));

describe('the JSON of a manifest', () => {
  it('is read as what it was made of', () => {
    fc.assert(
      fc.property(groups, (all) => {
        expect(readManifest(manifestJson(all))).toEqual(all);
      }),
    );
  });

  it('has the endpoints that its exposes take', () => {
    const [[of] = []] = fc.sample(groups, 1);
    const [first] = of?.services ?? [];
    if (of === undefined || first === undefined) throw new Error('no sample');
    const plain = { ...(first.exposes[0] as Expose), port: 8080, externalPort: 80, protocol: 'TCP', ip: '', endpointNumber: 0 } as const;
    const endpointsOf = (...exposes: Expose[]): unknown => {
      const parsed: unknown = JSON.parse(manifestJson([{ ...of, services: [{ ...first, exposes }] }]));
      return (parsed as { services: { resources: { endpoints: unknown } }[] }[])[0]?.services[0]?.resources.endpoints;
    };
    expect(endpointsOf(plain, { ...plain, global: false })).toEqual([{ sequence_number: 0 }]);
    expect(endpointsOf({ ...plain, protocol: 'UDP' }, { ...plain, externalPort: 0 })).toEqual([
      { kind: 1, sequence_number: 0 },
      { kind: 1, sequence_number: 0 },
    ]);
    expect(endpointsOf({ ...plain, ip: 'front', endpointNumber: 2 })).toEqual([{ sequence_number: 0 }, { kind: 2, sequence_number: 2 }]);
  });
});
