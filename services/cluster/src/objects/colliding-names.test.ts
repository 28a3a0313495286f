import type { ManifestService } from '@quartermaster/api/lease-manifest';
import { expect, it } from 'vitest';
import { collidingNames } from './colliding-names.ts';
import { statefulSetName } from './object-names.ts';

const service = (name: string, kind: 'persistent' | 'ephemeral'): ManifestService => ({
  ...{ name, image: 'db:1', command: [], args: [], env: [], count: 1, mounts: [], permissions: [], exposes: [] },
  resources: {
    ...{ id: 1, cpuMillis: 1000, memoryBytes: 2 ** 30, gpus: 0, gpuAttributes: [] },
    volumes: [{ name: 'data', bytes: 200, kind, class: '' }],
  },
});
const kept = (name: string): ManifestService => service(name, 'persistent');
const long = 'a'.repeat(60);
const reasons = (...services: readonly ManifestService[]) => collidingNames({ name: 'dc', services });

it('no two services may have the same StatefulSet, nor the same volumes, once their names are shortened', () => {
  const same = kept(statefulSetName(long));
  expect(same.name).toMatch(/^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/);
  const message = expect.stringContaining(`services ${long} and ${same.name} would have`);
  expect(reasons(kept(long), same)).toEqual([{ code: 'NamesCollide', message }]);
  expect(reasons(kept(long), service(same.name, 'ephemeral'))).toEqual([]);
  expect(reasons(kept(long), kept('b'), kept(`${long}b`))).toEqual([]);
});
