import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { confirmedAfter } from './update-changes.ts';

const group = (volumes: readonly string[]): ManifestGroup => ({
  name: 'g',
  services: volumes.map((each) => {
    const [name = '', volume = ''] = each.split('/');
    return {
      ...{ name, image: 'a', command: [], args: [], env: [], count: 1, exposes: [], mounts: [], permissions: [] },
      resources: {
        ...{ id: 1, cpuMillis: 1, memoryBytes: 1, gpus: 0, gpuAttributes: [] },
        volumes: [{ name: volume, bytes: 1, kind: 'persistent', class: 'beta3' }],
      },
    };
  }),
});

const volumes: fc.Arbitrary<string[]> = fc.uniqueArray(fc.constantFrom('a/x', 'a/y', 'b/x', 'b/y', 'c/x'));

it('keeps what is confirmed with a manifest, and forgets what was confirmed of volumes that come again', () => {
  fc.assert(
    fc.property(volumes, volumes, volumes, volumes, (before, confirm, stored, there) => {
      const after = confirmedAfter(before, confirm, [group(stored)], [group(there)]);
      const isNew = (each: string): boolean => there.includes(each) && !stored.includes(each);
      expect(new Set(after)).toEqual(new Set([...before.filter((each) => !isNew(each)), ...confirm]));
      expect(after).toHaveLength(new Set(after).size);
    }),
  );
});

it('forgets all that was confirmed before where nobody knows what it was compared with', () => {
  expect(confirmedAfter(['a/x'], ['b/x'], undefined, [group([])])).toEqual(['b/x']);
});

it('keeps no more than a hundred, the newest, and all of those that are given now', () => {
  const many = Array.from({ length: 150 }, (_, index) => `s${index}/v`);
  expect(confirmedAfter(many, ['last/v'], [], [])).toEqual([...many.slice(51), 'last/v']);
  // Also one that was the oldest.
  expect(confirmedAfter(many.slice(0, 100), ['s0/v', 'last/v'], [], [])).toEqual([...many.slice(2, 100), 's0/v', 'last/v']);
  expect(confirmedAfter(many.slice(0, 100), many.slice(50), [], [])).toEqual(many.slice(50));
});

it('keeps what was confirmed of a volume whose name comes again for one that keeps no data', () => {
  const { name, services } = group(['a/x']);
  const scratch = services.map((service) => ({
    ...service,
    resources: { ...service.resources, volumes: service.resources.volumes.map((volume) => ({ ...volume, kind: 'ephemeral' as const })) },
  }));
  expect(confirmedAfter(['a/x'], [], [group([])], [{ name, services: scratch }])).toEqual(['a/x']);
});
