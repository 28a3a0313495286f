import type { Expose, ManifestGroup, ManifestResources, ManifestService, ManifestVolume } from '@quartermaster/api/lease-manifest';
import type { Manifest } from '@quartermaster/api/manifest';
import { codeOf } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leaseOf } from '../model/lease-labels.ts';
import { manifestObject } from './manifest-object.ts';
import { readManifestObject } from './read-manifest-object.ts';
import { isSensitive } from './sensitive-env.ts';

const sensitiveEnv = ['*PASSWORD*', '*_KEY'];
const lease = { owner: 'Ada Lovelace', dseq: 2n ** 64n - 1n, gseq: 1, oseq: 2, provider: 'akash1p' };
const context = {
  ...{ lease, namespaceName: 'lease-x', manifestNamespace: 'lease', hash: 'ab12', secretName: 'lease-x-1', confirmed: ['db/data'] },
  ...{ sensitiveEnv, scheduler: new Map() },
};

/** Can be found wherever it is. */
const secret = fc.uuid().map((id) => `hush-${id}`);
const text = fc.oneof(fc.string({ maxLength: 12, unit: 'grapheme' }), fc.constantFrom('', '=', 'a=b', '$(X)'));
const whole = fc.oneof(fc.nat(3), fc.maxSafeNat());
const small = fc.nat(65_535);
const serviceName = fc.stringMatching(/^[a-z]([-a-z0-9]{0,8}[a-z0-9])?$/);
const variable = fc.oneof(
  fc.record({ name: fc.stringMatching(/^[A-Za-z_.-][A-Za-z0-9_.-]{0,6}$/), value: text }),
  fc.record({ name: fc.constantFrom('PASSWORD', 'db.password-1', 'API_KEY', `PASSWORD${'x'.repeat(300)}`), value: secret }),
);
const env = fc
  .array(variable, { maxLength: 8 })
  .map((all) => all.filter(({ name, value }) => value.startsWith('hush-') === isSensitive(name, sensitiveEnv)));
const volume: fc.Arbitrary<ManifestVolume> = fc.oneof(
  fc.record({ name: serviceName, bytes: whole, kind: fc.constantFrom('ephemeral' as const, 'ram' as const), class: fc.constant('') }),
  fc.record({
    name: serviceName,
    bytes: whole,
    kind: fc.constant('persistent' as const),
    class: fc.constantFrom('default', 'beta1', 'fast'),
  }),
);
const resources: fc.Arbitrary<ManifestResources> = fc.record({
  ...{ id: small, cpuMillis: small, memoryBytes: whole, gpus: fc.nat(8) },
  gpuAttributes: fc.array(fc.constantFrom('vendor/nvidia/model/a100/ram/80Gi', 'vendor/nvidia/model/*'), { maxLength: 3 }),
  volumes: fc.array(volume, { maxLength: 4 }),
});
const expose: fc.Arbitrary<Expose> = fc.record({
  ...{
    port: small,
    externalPort: small,
    protocol: fc.constantFrom('TCP' as const, 'UDP' as const),
    service: serviceName,
    global: fc.boolean(),
  },
  ...{ hosts: fc.array(text, { maxLength: 3 }), ip: text, endpointNumber: small },
  http: fc.record(
    {
      ...{ maxBodySize: small, readTimeout: small, sendTimeout: small, nextTries: small, nextTimeout: small },
      ...{ nextCases: fc.array(text, { maxLength: 3 }), proxyBufferSize: small },
    },
    { requiredKeys: ['maxBodySize', 'readTimeout', 'sendTimeout', 'nextTries', 'nextTimeout', 'nextCases'] },
  ),
});
const service: fc.Arbitrary<ManifestService> = fc.record(
  {
    ...{
      name: serviceName,
      image: text,
      command: fc.array(text, { maxLength: 3 }),
      args: fc.array(text, { maxLength: 3 }),
      env,
      resources,
    },
    ...{ count: small, exposes: fc.array(expose, { maxLength: 3 }) },
    mounts: fc.array(fc.record({ volume: serviceName, path: text, readOnly: fc.boolean() }), { maxLength: 3 }),
    permissions: fc.subarray(['logs' as const, 'events' as const, 'deployment' as const]),
    credentials: fc.record({ host: text, email: text, username: text, password: secret }),
  },
  { requiredKeys: ['name', 'image', 'command', 'args', 'env', 'resources', 'count', 'exposes', 'mounts', 'permissions'] },
);
const group: fc.Arbitrary<ManifestGroup> = fc.record({
  name: text,
  services: fc.uniqueArray(service, { maxLength: 3, selector: ({ name }) => name }),
});

/** As a server gives it back. */
const stored = (manifest: Manifest): Manifest => JSON.parse(JSON.stringify(manifest)) as Manifest;

const db: ManifestService = {
  ...{ name: 'db', image: 'db:1', command: [], args: [], count: 1, exposes: [], mounts: [], permissions: [] },
  resources: { id: 1, cpuMillis: 1, memoryBytes: 1, gpus: 0, gpuAttributes: [], volumes: [] },
  env: [
    { name: 'A', value: '1' },
    { name: 'PASSWORD', value: 'hush-1' },
    { name: 'B', value: '2' },
    { name: 'PASSWORD', value: 'hush-2' },
  ],
  credentials: { host: 'ghcr.io', email: '', username: 'u', password: 'hush-3' },
};
const made = manifestObject({ ...context, group: { name: 'dc', services: [db] } });

describe('the object of a manifest', () => {
  it('comes back as it was, with the values of its Secret, and has none of them itself', () => {
    fc.assert(
      fc.property(group, (each) => {
        const { manifest, secrets } = manifestObject({ ...context, group: each });
        const read = readManifestObject(stored(manifest), new Map(Object.entries(secrets)));
        expect(read).toEqual({ group: each, hash: 'ab12', secretName: 'lease-x-1', confirmed: ['db/data'] });
        expect(JSON.stringify(manifest)).not.toContain('hush');
        const isSecret = ({ name }: { readonly name: string }): boolean => isSensitive(name, sensitiveEnv);
        const expected = each.services.flatMap(({ env: all, credentials }) => [
          ...all.filter(isSecret).map(({ value }) => value),
          ...(credentials ? [credentials.password] : []),
        ]);
        expect(Object.values(secrets).sort()).toEqual(expected.sort());
        for (const key of Object.keys(secrets)) expect(key).toMatch(/^[-._a-zA-Z0-9]{1,253}$/);
      }),
      { numRuns: 300 },
    );
  });

  it('is known without its Secret but for the values', () => {
    fc.assert(
      fc.property(group, (each) => {
        const hidden = each.services.map(({ credentials, ...rest }) => ({
          ...rest,
          env: rest.env.map(({ name, value }) => ({ name, value: isSensitive(name, sensitiveEnv) ? '' : value })),
          ...(credentials && { credentials: { ...credentials, password: '' } }),
        }));
        expect(readManifestObject(stored(manifestObject({ ...context, group: each }).manifest), undefined).group).toEqual({
          name: each.name,
          services: hidden,
        });
      }),
      { numRuns: 100 },
    );
  });

  it('has the form that the tools of the ecosystem know', () => {
    expect(made.secrets).toEqual({ 'db.1.PASSWORD': 'hush-1', 'db.3.PASSWORD': 'hush-2', 'db.password': 'hush-3' });
    expect(made.manifest.metadata).toMatchObject({
      name: 'lease-x',
      namespace: 'lease',
      labels: { 'akash.network': 'true', 'akash.network/namespace': 'lease-x' },
    });
    expect(leaseOf(made.manifest.metadata)).toEqual(lease);
    expect(made.manifest.spec).toMatchObject({
      lease_id: { owner: 'Ada Lovelace', dseq: '18446744073709551615', gseq: 1, oseq: 2, provider: 'akash1p' },
      group: {
        services: [
          {
            env: ['A=1', 'B=2'],
            sensitive_env: [
              { name: 'PASSWORD', key: 'db.1.PASSWORD' },
              { name: 'PASSWORD', key: 'db.3.PASSWORD' },
            ],
            credentials: { host: 'ghcr.io', username: 'u', password_key: 'db.password' },
            resources: { cpu: { units: 1 }, memory: { size: '1' } },
          },
        ],
      },
    });
  });

  it('says what a service was planned with', () => {
    const gpu = { vendor: 'nvidia', model: 'a100', memorySize: '80Gi', interface: '' };
    const { manifest } = manifestObject({
      ...context,
      group: { name: 'dc', services: [db] },
      scheduler: new Map([['db', { runtimeClass: 'nvidia', gpu }]]),
    });
    expect(manifest.spec?.group?.services?.[0]?.scheduler_params).toEqual({
      runtime_class: 'nvidia',
      resources: { gpu: { vendor: 'nvidia', model: 'a100', memory_size: '80Gi' } },
    });
  });

  it('is not read with a Secret that lacks a value, which is told by its key', () => {
    const read = () => readManifestObject(made.manifest, new Map([['db.1.PASSWORD', 'hush-1']]));
    expect(read).toThrow('its Secret has no key db.3.PASSWORD');
    expect(read).not.toThrow('hush');
  });

  it.each<readonly [string, Manifest]>([
    ['without a spec', {}],
    ['without resources', { spec: { group: { services: [{ name: 'db' }] } } }],
    ['with a size that is none', { spec: { group: { services: [{ resources: { memory: { size: '1Gi' } } }] } } }],
    [
      'with a protocol that is none',
      { spec: { group: { services: [{ resources: { memory: { size: '1' } }, expose: [{ proto: 'SCTP' }] }] } } },
    ],
  ])('is not read %s', (_, manifest) => {
    let thrown: unknown;
    try {
      readManifestObject(manifest, undefined);
    } catch (error) {
      thrown = error;
    }
    expect(codeOf(thrown)).toBe('failed_precondition');
  });

  it('is read as others have written it, with everything in the object', () => {
    const foreign = {
      name: 'db',
      env: ['A=1', 'UNSET'],
      resources: { memory: { size: '1' } },
      credentials: { host: 'h', username: 'u', password: 'p' },
    };
    const { group: read } = readManifestObject({ spec: { group: { name: 'dc', services: [foreign] } } }, new Map());
    expect(read.services[0]).toMatchObject({
      env: [
        { name: 'A', value: '1' },
        { name: 'UNSET', value: '' },
      ],
      credentials: { host: 'h', email: '', username: 'u', password: 'p' },
    });
  });
});
