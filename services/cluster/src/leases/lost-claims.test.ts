import { describe, expect, it } from 'vitest';
import { leaseContent, service } from '../../test/lease-content.ts';
import { Gi } from '../../test/sample-facts.ts';
import { sampleRecord } from '../../test/sample-record.ts';
import type { StoredManifest } from '../known-leases/manifest-store.ts';
import { statefulSetName, volumeName } from '../objects/object-names.ts';
import type { LeaseContext } from './lease-context.ts';
import { changedClaims, lostClaims, removeClaims, unfinishedLosses } from './lost-claims.ts';

const namespace = 'lease-amy-7-1-1';
const withData = (name: string, count = 20) =>
  service({ name, count, resources: { volumes: [{ name: 'data', bytes: Gi, kind: 'persistent', class: 'beta3' }] } });
const claims = (names: readonly string[], seen = {}) => ({
  byIndex: () => names.map((name) => ({ key: `${namespace}/${name}`, uid: name, resourceVersion: '1', value: { name, ...seen } }) as never),
});
const lost = (services: readonly ReturnType<typeof withData>[], names: readonly string[], confirmed: readonly string[] = []) =>
  lostClaims({ name: 'here', services }, confirmed, claims(names), namespace).map(({ name }) => name);

describe('claims of volumes that are lost', () => {
  it('are those of services that the manifest does not have, whatever their number, where that was confirmed', () => {
    const found = ['db-data-db-0', 'db-data-db-11', 'old-data-old-0', 'old-data-old-0-x'];
    expect(lost([withData('db')], found, ['old/data'])).toEqual(['old-data-old-0']);
    // An older manifest that somebody put back says nothing of them.
    expect(lost([withData('db')], found)).toEqual([]);
    expect(lost([withData('db')], found, ['old/log', 'db/old'])).toEqual([]);
  });

  it('are those of replicas that the manifest does not have, where that was confirmed', () => {
    const found = ['a-data-a-0', 'a-data-a-1', 'b-data-b-0'];
    expect(lost([withData('a', 1), withData('b', 2)], found)).toEqual([]);
    expect(lost([withData('a', 1), withData('b', 2)], found, ['a/data'])).toEqual(['a-data-a-1']);
  });

  it('are not those of a service whose name is too long for a StatefulSet', () => {
    const long = 'a-service-whose-name-is-as-long-as-a-label-of-dns-may-be-at-all';
    expect(lost([withData(long)], [`${volumeName(long, 'data')}-${statefulSetName(long)}-0`])).toEqual([]);
  });

  it('are left alone by a leader that has not seen the newest manifest', async () => {
    const stored = { group: { name: 'here', services: [] }, confirmed: ['db/data'], resourceVersion: '1' } as unknown as StoredManifest;
    const removedWith = async (newest: string) => {
      const removed: string[] = [];
      const context = {
        manifests: { isNewest: async (_namespace: string, { resourceVersion }: StoredManifest) => resourceVersion === newest },
        writer: { delete: async (_type: unknown, { name }: { name: string }) => void removed.push(name) },
      } as unknown as LeaseContext;
      const at = { record: sampleRecord(), signal: new AbortController().signal };
      const isDone = await removeClaims(
        context,
        at,
        stored,
        lostClaims(stored.group, stored.confirmed, claims(['db-data-db-0']), namespace),
      );
      return [isDone, ...removed];
    };
    expect(await removedWith('2')).toEqual([false]);
    expect(await removedWith('1')).toEqual([true, 'db-data-db-0']);
  });

  it('are those of volumes that are not persistent any more', () => {
    const volumes = [{ name: 'data', bytes: Gi, kind: 'ephemeral', class: '' }] as const;
    expect(lost([service({ name: 'db', resources: { volumes } })], ['db-data-db-0'], ['db/data'])).toEqual(['db-data-db-0']);
  });

  it('are confirmed until the manifest with which they were is deployed once', () => {
    const stored = { hash: 'now', confirmed: ['a/data'] };
    expect(unfinishedLosses(stored, { manifestHash: 'before', deployedAt: 1 })).toEqual(['a/data']);
    expect(unfinishedLosses(stored, { manifestHash: 'now', deployedAt: undefined })).toEqual(['a/data']);
    expect(unfinishedLosses(stored, { manifestHash: 'now', deployedAt: 1 })).toEqual([]);
  });

  it('are not claims that no StatefulSet makes', () => {
    expect(lost([withData('db')], ['mine'])).toEqual([]);
  });
});

describe('claims that a set which is made anew must not find', () => {
  const content = leaseContent([withData('db')], { namespace });
  const planned = { storageClass: 'ceph-nvme', bytes: Gi };
  const changed = (seen: object, confirmed = ['db/data'], remade = ['db']) =>
    changedClaims(content, confirmed, claims(['db-data-db-0', 'mine'], seen), new Set(remade)).map(({ name }) => name);

  it('are those of another class or size than its template has', () => {
    expect(changed(planned)).toEqual([]);
    expect(changed({ ...planned, bytes: 2 * Gi })).toEqual(['db-data-db-0']);
    expect(changed({ ...planned, storageClass: 'ceph-hdd' })).toEqual(['db-data-db-0']);
  });

  it('are none where their loss was not confirmed, nor of a set that stays', () => {
    expect(changed({ ...planned, bytes: 2 * Gi }, [])).toEqual([]);
    expect(changed({ ...planned, bytes: 2 * Gi }, ['db/data'], ['web'])).toEqual([]);
  });
});
