import { readFileSync } from 'node:fs';
import {
  type Expose,
  type ManifestGroup,
  type ManifestService,
  type ManifestVolume,
  readManifest,
} from '@quartermaster/api/lease-manifest';
import { describe, expect, it } from 'vitest';
import type { Request, Unit } from '../placement/request.ts';
import { crossValidate } from './cross-validate.ts';
import { manifestObject } from './manifest-object.ts';
import { readManifestObject } from './read-manifest-object.ts';

interface Vector {
  /** What the ecosystem's SDL library makes of an SDL. */
  readonly manifest: unknown;
  /** What was ordered with it, by the same library's count. */
  readonly groups: readonly (Request & { readonly name: string; readonly httpEndpoints: Readonly<Record<string, number>> })[];
}

const vectors = JSON.parse(readFileSync(new URL('./vectors/library-manifests.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Vector>
>;
const endpointsOf = (counts: Readonly<Record<string, number>>) =>
  new Map(Object.entries(counts).map(([unit, count]) => [Number(unit), count]));

const http = { maxBodySize: 1, readTimeout: 2, sendTimeout: 3, nextTries: 4, nextTimeout: 5, nextCases: ['error'] };
const web: Expose = { port: 80, externalPort: 0, protocol: 'TCP', service: '', global: true, hosts: [], ip: '', endpointNumber: 0, http };
const ephemeral: ManifestVolume = { name: 'default', bytes: 100, kind: 'ephemeral', class: '' };
const persistent: ManifestVolume = { name: 'data', bytes: 200, kind: 'persistent', class: 'beta2' };
const ram: ManifestVolume = { name: 'shm', bytes: 300, kind: 'ram', class: '' };
const service: ManifestService = {
  ...{ name: 'web', image: 'web:1', command: [], args: [], env: [], count: 2, mounts: [], permissions: [] },
  resources: {
    ...{
      id: 1,
      cpuMillis: 1000,
      memoryBytes: 2 ** 30,
      gpus: 2,
      gpuAttributes: ['vendor/nvidia/model/a100/ram/80Gi/interface/sxm', 'vendor/nvidia/model/*'],
    },
    volumes: [ephemeral, persistent, ram],
  },
  exposes: [web, { ...web, port: 53, protocol: 'UDP', ip: 'front', endpointNumber: 3 }, { ...web, port: 5432, global: false }],
};
const unit: Unit = {
  ...{ id: 1, count: 3, cpuMillis: 1000, memoryBytes: 2 ** 30, randomPorts: 1, leasedIps: ['front'] },
  gpus: {
    count: 2,
    wants: [
      { vendor: 'nvidia', model: '*' },
      { vendor: 'nvidia', model: 'a100', memoryBytes: 80 * 2 ** 30, interface: 'sxm' },
    ],
  },
  volumes: [
    { name: 'shm', bytes: 300, kind: 'ram' },
    { name: 'default', bytes: 100, kind: 'ephemeral' },
    { name: 'data', bytes: 200, kind: 'persistent', class: 'beta2' },
  ],
};
const other: ManifestService = { ...service, name: 'worker', count: 1, exposes: [] };
const group = (...services: ManifestService[]): ManifestGroup => ({ name: 'dc', services });
const reasonsOf = (changes: Partial<ManifestService>, ordered: Unit = unit) =>
  crossValidate(group({ ...service, ...changes }, other), { units: [ordered] }, new Map([[1, 1]])).map(
    ({ code, message }) => `${code}: ${message}`,
  );
const withResources = (changes: Partial<ManifestService['resources']>): Partial<ManifestService> => ({
  resources: { ...service.resources, ...changes },
});

describe('a manifest and its lease', () => {
  it.each(Object.entries(vectors))('agree when the library has made both of one SDL: %s', (_, { manifest, groups }) => {
    const read = readManifest(JSON.stringify(manifest));
    expect(read.map(({ name }) => name)).toEqual(groups.map(({ name }) => name));
    for (const [at, { units, httpEndpoints }] of groups.entries()) {
      expect(crossValidate(read[at] as ManifestGroup, { units }, endpointsOf(httpEndpoints))).toEqual([]);
    }
  });

  it.each(Object.entries(vectors))('agree after the manifest was stored, without its secrets as well: %s', (_, { manifest, groups }) => {
    const lease = { owner: 'akash1x', dseq: 1n, gseq: 1, oseq: 1, provider: 'akash1p' };
    const names = {
      namespaceName: 'lease-x',
      manifestNamespace: 'lease',
      hash: 'ab',
      secretName: 's',
      confirmed: [],
      sensitiveEnv: ['*PASSWORD*'],
      scheduler: new Map(),
    };
    for (const [at, read] of readManifest(JSON.stringify(manifest)).entries()) {
      const { manifest: object, secrets } = manifestObject({ lease, ...names, group: read });
      expect(readManifestObject(object, new Map(Object.entries(secrets))).group).toEqual(read);
      const { units, httpEndpoints } = groups[at] as Vector['groups'][number];
      expect(crossValidate(readManifestObject(object, undefined).group, { units }, endpointsOf(httpEndpoints))).toEqual([]);
    }
  });

  it('agree whatever the order of volumes and GPU models is, and whoever shares the resources', () => {
    expect(reasonsOf({})).toEqual([]);
  });

  it('agree by the numbers of endpoints where the market does not know their names', () => {
    expect(reasonsOf({}, { ...unit, leasedIps: ['3'] })).toEqual([]);
    expect(reasonsOf({}, { ...unit, leasedIps: ['4'] })).toEqual([expect.stringContaining('EndpointsDiffer')]);
  });

  it('disagree where endpoints of one number have several names, each of which would get an address', () => {
    const leased = (name: string, port: number, ip: string) => ({ ...service, name, exposes: [{ ...web, port, ip, endpointNumber: 3 }] });
    const numbered = (id: number) => ({ ...unit, id, count: service.count, randomPorts: 2, leasedIps: ['3'] });
    const reasons = (services: readonly ManifestService[], ...units: readonly Unit[]) =>
      crossValidate(group(...services), { units }, new Map()).filter(({ code }) => code === 'EndpointsDiffer');
    const message =
      'resources of the id 1 have endpoints of other names than "front" with its number 3, for which one address was ordered: give all of them that name';
    const twice = {
      ...leased('a', 81, 'front'),
      exposes: [81, 82].map((port, at) => ({ ...web, port, ip: ['front', 'back'][at] ?? '', endpointNumber: 3 })),
    };
    expect(reasons([twice], numbered(1))).toEqual([{ code: 'EndpointsDiffer', message }]);
    const once = { ...twice, exposes: twice.exposes.map((each) => ({ ...each, ip: 'front' })) };
    expect(reasons([once], numbered(1))).toEqual([]);
    // Also where they are of different resources: the number means the same endpoint in all of them.
    const apart = { ...leased('b', 82, 'back'), resources: { ...service.resources, id: 2 } };
    const alone = (id: number) => ({ ...numbered(id), randomPorts: 1 });
    expect(reasons([leased('a', 81, 'front'), apart], alone(1), alone(2))).toEqual([
      { code: 'EndpointsDiffer', message: message.replace('the id 1', 'the id 2') },
    ]);
    // Where the market knows names, each of them was ordered.
    expect(reasons([twice], { ...numbered(1), leasedIps: ['front', 'back'] })).toEqual([]);
  });

  it('agree where models are named and no GPU is asked for', () => {
    const { gpus: _, ...without } = unit;
    const none = { ...service.resources, gpus: 0 };
    const services = [service, other].map((each) => ({ ...each, resources: none }));
    expect(crossValidate(group(...services), { units: [without] }, new Map([[1, 1]]))).toEqual([]);
  });

  it.each<readonly [string, Partial<ManifestService>]>([
    ['ResourcesDiffer: service web: CPU is 2 cores, and 1 core was ordered', withResources({ cpuMillis: 2000 })],
    ['ResourcesDiffer: service web: memory is', withResources({ memoryBytes: 2 ** 30 + 1 })],
    ['ResourcesDiffer: service web: the number of GPUs is', withResources({ gpus: 3 })],
    ['ResourcesDiffer: service web: the number of GPUs is', withResources({ gpus: 0 })],
    ['ResourcesDiffer: service web: other GPU models were ordered', withResources({ gpuAttributes: ['vendor/nvidia/model/*'] })],
    [
      'ResourcesDiffer: service web: other GPU models were ordered',
      withResources({ gpuAttributes: ['vendor/nvidia/model/a100/ram/40Gi/interface/sxm', 'vendor/nvidia/model/*'] }),
    ],
    ['ResourcesDiffer: service web: the volume shm was ordered and is not there', withResources({ volumes: [ephemeral, persistent] })],
    [
      'ResourcesDiffer: service web: the volume more was not ordered',
      withResources({ volumes: [ephemeral, persistent, ram, { ...ram, name: 'more' }] }),
    ],
    ['ResourcesDiffer: service web: the volume data is', withResources({ volumes: [ephemeral, { ...persistent, bytes: 201 }, ram] })],
    [
      'ResourcesDiffer: service web: the volume data was ordered of another kind or class',
      withResources({ volumes: [ephemeral, { ...persistent, class: 'beta3' }, ram] }),
    ],
    [
      'ResourcesDiffer: service web: the volume data was ordered of another kind',
      withResources({ volumes: [ephemeral, { ...persistent, kind: 'ram', class: '' }, ram] }),
    ],
    [
      'ResourcesDiffer: service web: the volume default was ordered of another kind',
      withResources({ volumes: [{ ...ephemeral, kind: 'ram' }, persistent, ram] }),
    ],
    ['ReplicasDiffer: resources of the id 1 have 4 replicas in the manifest, and 3 were ordered', { count: 3 }],
    ['ReplicasDiffer: resources of the id 1 have 2 replicas', { count: 1 }],
    ['ReplicasDiffer: resources of the id 1 have 1 replica in the manifest, and 3 were ordered', { count: 0 }],
    [
      'EndpointsDiffer: resources of the id 1 have 2 endpoints that share a port',
      { exposes: [...service.exposes, { ...web, port: 8080, externalPort: 80 }] },
    ],
    [
      'EndpointsDiffer: resources of the id 1 have 2 endpoints with a port in the manifest, and 1 was ordered',
      { exposes: [...service.exposes, { ...web, port: 81 }] },
    ],
    [
      'EndpointsDiffer: resources of the id 1 have other endpoints with an address',
      { exposes: service.exposes.map((each) => ({ ...each, ip: '' })) },
    ],
    [
      'EndpointsDiffer: resources of the id 1 have other endpoints with an address',
      { exposes: service.exposes.map((each) => (each.ip === '' ? each : { ...each, ip: 'back', endpointNumber: 4 })) },
    ],
  ])('disagree: %s', (reason, changes) => {
    const found = reasonsOf(changes);
    expect(found).toHaveLength(1);
    expect(found[0]?.startsWith(reason)).toBe(true);
    expect(found[0]).toContain('these cannot change after the order');
  });

  it('disagree where resources have an id that was not ordered, and those that were are not used', () => {
    const found = crossValidate(group({ ...service, resources: { ...service.resources, id: 7 } }), { units: [unit] }, new Map([[1, 1]]));
    expect(found.map(({ code }) => code)).toEqual([
      'ResourcesUnknown',
      'ReplicasDiffer',
      'EndpointsDiffer',
      'EndpointsDiffer',
      'EndpointsDiffer',
    ]);
  });
});
