import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import { expect, it } from 'vitest';
import { updateChanges } from './update-changes.ts';

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

it('compares groups by their names, and tells each volume that is lost once', () => {
  const named = (name: string, ...kept: readonly string[]) => ({ ...group(kept), name });
  const before = [named('eu', 'a/x', 'b/x'), named('us', 'a/x'), named('old', 'c/x')];
  const after = [named('new', 'd/x'), named('us', 'b/y'), named('eu', 'b/x')];
  const { changes, lostVolumes } = updateChanges(before, after);
  expect(lostVolumes).toEqual(['a/x']);
  expect(changes.map(({ service, code }) => `${service} ${code}`).toSorted()).toEqual([
    ...['a ServiceRemoved', 'a ServiceRemoved', 'a VolumeRemoved', 'a VolumeRemoved', 'b ServiceAdded'],
  ]);
  expect(updateChanges(before, before)).toEqual({ changes: [], restarted: [], lostVolumes: [] });
});
