import { describe, expect, it } from 'vitest';
import { manifestChanges } from './manifest-changes.ts';
import type { Expose, ManifestService, ManifestVolume } from './manifest-group.ts';

const http = { maxBodySize: 1, readTimeout: 2, sendTimeout: 3, nextTries: 4, nextTimeout: 5, nextCases: ['error'] };
const web: Expose = {
  port: 8080,
  externalPort: 80,
  protocol: 'TCP',
  service: '',
  global: true,
  hosts: ['a.b'],
  ip: '',
  endpointNumber: 0,
  http,
};
const data: ManifestVolume = { name: 'data', bytes: 100, kind: 'persistent', class: 'beta3' };
const scratch: ManifestVolume = { name: 'default', bytes: 10, kind: 'ephemeral', class: '' };
const service: ManifestService = {
  ...{ name: 'db', image: 'db:1', command: ['run'], args: ['-v'], count: 2, permissions: ['logs'] },
  env: [
    { name: 'LEVEL', value: 'hush-old' },
    { name: 'API_TOKEN', value: 'hush-token' },
  ],
  resources: {
    id: 1,
    cpuMillis: 100,
    memoryBytes: 1000,
    gpus: 1,
    gpuAttributes: ['vendor/nvidia/model/a100', 'vendor/nvidia/model/t4'],
    volumes: [scratch, data],
  },
  exposes: [web],
  mounts: [{ volume: 'data', path: '/data', readOnly: false }],
  credentials: { host: 'ghcr.io', email: '', username: 'u', password: 'hush-password' },
};
const other: ManifestService = {
  ...service,
  name: 'web',
  resources: { ...service.resources, volumes: [scratch] },
  mounts: [],
  exposes: [],
};
const { credentials: _, ...anonymous } = service;
const withVolumes = (...volumes: ManifestVolume[]): ManifestService => ({ ...service, resources: { ...service.resources, volumes } });
const group = (...services: ManifestService[]) => ({ name: 'dc', services });
const changed = (changes: Partial<ManifestService>) => manifestChanges(group(service, other), group({ ...service, ...changes }, other));

describe('the changes of a manifest', () => {
  it('are none where nothing differs but what has no effect', () => {
    const nothing = { changes: [], restarted: [], lostVolumes: [] };
    expect(changed({})).toEqual(nothing);
    expect(changed({ env: [{ name: 'LEVEL', value: 'other' }, ...service.env] })).toEqual(nothing);
    expect(changed({ resources: { ...service.resources, id: 2, gpuAttributes: service.resources.gpuAttributes.toReversed() } })).toEqual(
      nothing,
    );
    expect(changed({ mounts: [...service.mounts, { volume: 'default', path: '', readOnly: false }] })).toEqual(nothing);
    expect(manifestChanges(group(service, other), group(other, service))).toEqual(nothing);
  });

  it.each<readonly [string, string, Partial<ManifestService>]>([
    ['Image', 'the image becomes db:2, from db:1', { image: 'db:2' }],
    ['Command', 'the command changes', { command: [] }],
    ['Args', 'the arguments change', { args: ['-v', '-v'] }],
    [
      'Environment',
      'environment: adds NEW; removes API_TOKEN; changes LEVEL',
      {
        env: [
          { name: 'NEW', value: 'hush' },
          { name: 'LEVEL', value: 'hush-new' },
        ],
      },
    ],
    ['Environment', 'environment: changes the order', { env: service.env.toReversed() }],
    [
      'Resources',
      'resources of each replica: changes CPU, GPUs, memory',
      { resources: { ...service.resources, cpuMillis: 5, memoryBytes: 1, gpus: 0 } },
    ],
    ['Mounts', 'mounts: adds /srv; removes /data', { mounts: [{ volume: 'data', path: '/srv', readOnly: false }] }],
    ['Mounts', 'mounts: changes /data', { mounts: [{ volume: 'data', path: '/data', readOnly: true }] }],
    ['Permissions', 'permissions to read: removes logs', { permissions: [] }],
    [
      'Exposes',
      'exposes: adds port 53/UDP to the world',
      { exposes: [web, { ...web, port: 53, externalPort: 0, protocol: 'UDP', hosts: [] }] },
    ],
  ])('restart the service alone: %s, %s', (code, message, changes) => {
    const found = changed(changes);
    expect(found).toEqual({ changes: [{ service: 'db', code, message }], restarted: ['db'], lostVolumes: [] });
    expect(JSON.stringify(found)).not.toContain('hush');
  });

  it.each<readonly [string, string, Partial<ManifestService>]>([
    ['Exposes', 'exposes: adds port 8080 as 80/TCP inside for web', { exposes: [web, { ...web, global: false, service: 'web' }] }],
    ['Exposes', 'exposes: adds port 8080 as 81/TCP to the world', { exposes: [web, { ...web, externalPort: 81 }] }],
    ['Exposes', 'exposes: adds port 8080 as 80/TCP at the address front', { exposes: [web, { ...web, ip: 'front' }] }],
    ['Hostnames', 'hostnames: adds c.d; removes a.b', { exposes: [{ ...web, hosts: ['c.d'] }] }],
    [
      'HttpOptions',
      'HTTP options of port 8080 as 80/TCP to the world change',
      { exposes: [{ ...web, http: { ...http, proxyBufferSize: 4096 } }] },
    ],
    ['Replicas', 'it has 3 replicas, after 2', { count: 3 }],
    ['Credentials', 'the registry credentials change', { credentials: { host: 'ghcr.io', email: '', username: 'u', password: 'hush-2' } }],
    ['Permissions', 'permissions to read: adds events; removes logs', { permissions: ['events'] }],
  ])('restart nothing: %s, %s', (code, message, changes) => {
    const found = changed(changes);
    expect(found).toEqual({ changes: [{ service: 'db', code, message }], restarted: [], lostVolumes: [] });
    expect(JSON.stringify(found)).not.toContain('hush');
  });

  it('name credentials that come and go, for which pods are replaced', () => {
    const found = [manifestChanges(group(service), group(anonymous)), manifestChanges(group(anonymous), group(service))];
    expect(found.map(({ changes, restarted }) => [changes[0]?.message, ...restarted])).toEqual([
      ['the registry credentials are removed', 'db'],
      ['the registry credentials are added', 'db'],
    ]);
  });

  it.each<readonly [string, ManifestService | undefined]>([
    ['is removed', withVolumes(scratch)],
    ['has another name', withVolumes(scratch, { ...data, name: 'files' })],
    ['does not persist any more', withVolumes(scratch, { ...data, kind: 'ephemeral', class: '' })],
    ['is of another class', withVolumes(scratch, { ...data, class: 'beta1' })],
    ['is of another size', withVolumes(scratch, { ...data, bytes: 99 })],
    ['is of a service that has another name', { ...service, name: 'database' }],
    ['is of a service that is removed', undefined],
    ['is of a replica that goes', { ...service, count: 1 }],
  ])('lose a volume that %s', (_case, after) => {
    const { changes, lostVolumes } = manifestChanges(group(service, other), group(...(after === undefined ? [other] : [after, other])));
    expect(lostVolumes).toEqual(['db/data']);
    expect(changes.map(({ code }) => code)).toContain('VolumeRemoved');
  });

  it('name services that come and go, and restart neither', () => {
    const { changes, restarted } = manifestChanges(group(service), group({ ...service, name: 'aaa' }));
    expect(changes.map((change) => [change.service, change.code])).toEqual([
      ['aaa', 'ServiceAdded'],
      ['db', 'ServiceRemoved'],
      ['db', 'VolumeRemoved'],
    ]);
    expect(restarted).toEqual([]);
  });

  it('of several services are told in the order of their names', () => {
    const found = manifestChanges(group(other, service), group({ ...other, image: 'x' }, { ...service, image: 'y' }));
    expect(found.restarted).toEqual(['db', 'web']);
  });

  it.each<[what: string, after: readonly ManifestVolume[], lost: readonly string[]]>([
    ['is as it was', [scratch, data], []],
    ['is smaller', [scratch, { ...data, bytes: 99 }], ['db/data']],
    ['is larger', [scratch, { ...data, bytes: 101 }], ['db/data']],
    ['is of another class', [scratch, { ...data, class: 'beta2' }], ['db/data']],
    ['is kept no more', [scratch, { ...data, kind: 'ephemeral', class: '' }], ['db/data']],
    ['has another name', [scratch, { ...data, name: 'other' }], ['db/data']],
  ])('lose the data of a volume that %s: %j', (_what, after, lost) => {
    expect(manifestChanges(group(service), group(withVolumes(...after))).lostVolumes).toEqual(lost);
  });

  it.each<[what: string, volume: ManifestVolume]>([
    ['size', { ...scratch, bytes: 11 }],
    ['kind', { ...scratch, kind: 'ram' }],
    ['class', { ...scratch, class: 'beta1' }],
  ])('tell of a volume of another %s, that has no data to lose', (_what, volume) => {
    const { changes, lostVolumes } = manifestChanges(group(service), group(withVolumes(volume, data)));
    expect(changes).toMatchObject([{ service: 'db', code: 'Resources', message: expect.stringContaining('volume default') }]);
    expect(lostVolumes).toEqual([]);
  });
});
