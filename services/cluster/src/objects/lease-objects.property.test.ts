import type { kinds } from '@quartermaster/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expose, leaseContent, service } from '../../test/lease-content.ts';
import type { LeaseContent } from './desired.ts';
import { leaseObjects } from './lease-objects.ts';
import { leasedIpObjects } from './leased-ips.ts';

const Gi = 2 ** 30;
/** Names that are made of one another, and long ones. */
const names = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom(
      'web',
      'web-np',
      'web-env',
      'web-np-np',
      'apiserver-web',
      'web-ip',
      'docker-creds-web',
      'docker-creds-web-env',
      'akash',
      'docker-creds',
      'env',
      'apiserver',
      'np',
    ),
    fc.stringMatching(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/),
  ),
  { minLength: 1, maxLength: 5 },
);
const port = fc.integer({ min: 1, max: 65_535 });
const anyExpose = fc
  .record({
    port,
    externalPort: fc.oneof(fc.constantFrom(0, 80), port),
    protocol: fc.constantFrom('TCP' as const, 'UDP' as const),
    global: fc.boolean(),
    ip: fc.constantFrom('', '', 'front', 'meYOU'),
  })
  .map((each) => expose({ ...each, ip: each.global ? each.ip : '' }));
const volume = fc.record({
  name: fc.constantFrom('data', 'shm', 'Cache', 'x'.repeat(60)),
  bytes: fc.integer({ min: 1, max: 100 }).map((size) => size * Gi),
  kind: fc.constantFrom('ephemeral' as const, 'ram' as const, 'persistent' as const),
  class: fc.constant('beta3'),
});
const text = fc.string({ maxLength: 20 });
const anyService = fc.record({
  image: text,
  args: fc.array(text, { maxLength: 2 }),
  env: fc.array(fc.record({ name: fc.oneof(text, fc.constantFrom('AKASH_OWNER', 'PASSWORD')), value: text }), { maxLength: 4 }),
  count: fc.integer({ min: 1, max: 3 }),
  exposes: fc.array(anyExpose, { maxLength: 4 }),
  volumes: fc.uniqueArray(volume, { selector: ({ name }) => name, maxLength: 3 }),
  permissions: fc.subarray(['logs', 'events', 'deployment'] as const),
  credentials: fc.option(fc.record({ host: text, email: text, username: text, password: text }), { nil: undefined }),
});
const content: fc.Arbitrary<LeaseContent> = fc.tuple(names, fc.array(anyService, { minLength: 5, maxLength: 5 })).map(([all, parts]) =>
  leaseContent(
    all.map((name, at) => {
      const { volumes = [], ...rest } = parts[at] ?? {};
      const mounts = volumes.map((each) => ({ volume: each.name, path: `/mnt/${each.name}`, readOnly: false }));
      return service({ name, ...rest, mounts, resources: { id: at + 1, volumes } });
    }),
  ),
);

const validLabel = /^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$/;
const validName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

describe('the objects of any lease', () => {
  it('are the same whenever they are made', () => {
    fc.assert(
      fc.property(content, (each) => {
        expect(leaseObjects(structuredClone(each))).toEqual(leaseObjects(each));
        expect(leasedIpObjects(structuredClone(each), 'lease')).toEqual(leasedIpObjects(each, 'lease'));
      }),
    );
  });

  it('have valid names, each its own within its kind, and are all in the namespace of the lease', () => {
    fc.assert(
      fc.property(content, (each) => {
        const objects = leaseObjects(each);
        const keys = objects.map(({ type, object }) => `${type.plural}/${object.metadata?.name}`);
        expect(new Set(keys).size).toBe(keys.length);
        const faulty = objects.filter(({ type, object }) => {
          const { name = '', namespace } = object.metadata ?? {};
          return !validName.test(name) || name.length > (type.kind === 'Service' ? 63 : 253) || namespace !== 'lease-alice-7-1-2';
        });
        expect(faulty).toEqual([]);
      }),
    );
  });

  it('name volumes, mounts and claims of a pod alike, with names that it can have', () => {
    fc.assert(
      fc.property(content, (each) => {
        for (const { type, object } of leaseObjects(each)) {
          if (type.kind !== 'Deployment' && type.kind !== 'StatefulSet') continue;
          const { spec } = object as Parameters<typeof templateNames>[0];
          const { volumes, mounts } = templateNames({ spec });
          for (const name of volumes) expect(name).toMatch(/^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
          expect(new Set(volumes).size).toBe(volumes.length);
          for (const name of mounts) expect(volumes).toContain(name);
        }
      }),
    );
  });

  it('carry labels that are valid, and that no tenant can choose but for the name of a service', () => {
    fc.assert(
      fc.property(content, (each) => {
        const services = new Set(each.group.services.map(({ name }) => name));
        const templates = leaseObjects(each).flatMap(({ object }) => {
          const { spec } = object as { readonly spec?: { readonly template?: { readonly metadata?: typeof object.metadata } } };
          return [object.metadata?.labels ?? {}, spec?.template?.metadata?.labels ?? []];
        });
        const foreign = templates.flatMap((labels) =>
          Object.entries(labels).filter(([key, value]) => {
            const isKnown = key === 'akash.network/manifest-service' ? services.has(value) : fixedLabels.get(key) === value;
            return !isKnown || !validLabel.test(value);
          }),
        );
        expect(foreign).toEqual([]);
      }),
    );
  });

  it('have no port, variable or mount twice, which could not be applied', () => {
    fc.assert(
      fc.property(content, (each) => {
        for (const { type, object } of leaseObjects(each)) {
          if (type.kind === 'Service') {
            const { spec } = object as NonNullable<(typeof kinds.services)['shape']>;
            const ports = spec?.ports ?? [];
            expect(new Set(ports.map((one) => `${one.port}/${one.protocol}`)).size).toBe(ports.length);
            expect(new Set(ports.map(({ name }) => name)).size).toBe(ports.length);
          }
          if (type.kind === 'Deployment') {
            const { spec } = object as NonNullable<(typeof kinds.deployments)['shape']>;
            const { env = [], ports = [] } = spec?.template.spec?.containers[0] ?? {};
            expect(new Set(env.map(({ name }) => name)).size).toBe(env.length);
            expect(new Set(ports.map((one) => `${one.containerPort}/${one.protocol}`)).size).toBe(ports.length);
          }
        }
      }),
    );
  });
});

const fixedLabels = new Map(
  Object.entries({
    'akash.network': 'true',
    'akash.network/namespace': 'lease-alice-7-1-2',
    'akash.network/lease.id.owner': 'alice',
    'akash.network/lease.id.dseq': '7',
    'akash.network/lease.id.gseq': '1',
    'akash.network/lease.id.oseq': '2',
    'akash.network/lease.id.provider': 'acme',
    'akash.network/service-target': 'metal-lb',
  }),
);

function templateNames({ spec }: NonNullable<(typeof kinds.statefulSets)['shape']>) {
  const { volumes = [], containers = [] } = spec?.template.spec ?? {};
  const claims = spec?.volumeClaimTemplates ?? [];
  return {
    volumes: [...volumes.map(({ name }) => name), ...claims.map(({ metadata }) => metadata?.name ?? '')],
    mounts: containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)),
  };
}
