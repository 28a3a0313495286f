import { describe, expect, it } from 'vitest';
import { blockPoolFacts, clusterFacts, filesystemFacts } from './ceph-facts.ts';
import { cephPlaceOf, isCephProvisioner } from './ceph-place.ts';

const metadata = { namespace: 'rook-ceph', name: 'main' };

describe('what Rook says of a cluster', () => {
  it('has its raw figures with their time, and zeros that Rook leaves out', () => {
    const capacity = { bytesTotal: 100, bytesAvailable: 100, lastUpdated: '2026-03-01T10:00:00Z' };
    const facts = clusterFacts({ metadata, status: { phase: 'Ready', state: 'Created', ceph: { health: 'HEALTH_OK', capacity } } });
    expect(facts).toMatchObject({
      namespace: 'rook-ceph',
      illness: undefined,
      fullRatio: 0.95,
      raw: { totalBytes: 100, usedBytes: 0, observedAt: Date.UTC(2026, 2, 1, 10) },
    });
    expect(clusterFacts({ metadata, status: { phase: 'Progressing' } }).raw).toBeUndefined();
  });

  it('takes warnings for health, and says which error is none', () => {
    const details = {
      OSD_FULL: { severity: 'HEALTH_ERR', message: '1 full osd(s)' },
      POOL_NO_REDUNDANCY: { severity: 'HEALTH_WARN', message: '1 pool(s) have no replicas configured' },
    };
    expect(clusterFacts({ metadata, status: { ceph: { health: 'HEALTH_WARN', details } } }).illness).toBeUndefined();
    expect(clusterFacts({ metadata, status: { ceph: { health: 'HEALTH_ERR', details } } }).illness).toBe(
      'reports HEALTH_ERR (OSD_FULL: 1 full osd(s))',
    );
    expect(clusterFacts({ metadata, status: { phase: 'Failure', message: 'no mons' } }).illness).toBe('is in phase Failure (no mons)');
  });
});

describe('what Rook says of pools', () => {
  it('has their redundancy, device class and quota', () => {
    const replicated = blockPoolFacts({
      metadata,
      spec: { replicated: { size: 2 }, deviceClass: 'nvme', quotas: { maxSize: '10Gi' } },
      status: { phase: 'Ready' },
    });
    expect(replicated).toMatchObject({
      name: 'main',
      redundancy: { raw: 2, data: 1 },
      replicas: 2,
      deviceClass: 'nvme',
      quotaBytes: 10 * 2 ** 30,
    });
    const coded = blockPoolFacts({
      metadata,
      spec: { name: '.mgr', erasureCoded: { dataChunks: 4, codingChunks: 2 }, replicated: { size: 0 } },
    });
    expect(coded).toMatchObject({ name: '.mgr', redundancy: { raw: 6, data: 4 }, replicas: undefined, quotaBytes: undefined });
    expect(blockPoolFacts({ metadata, spec: {} }).redundancy).toBeUndefined();
  });

  it('names the data pools of a filesystem as Ceph does', () => {
    const dataPools = [{ replicated: { size: 3 } }, { name: 'cold', erasureCoded: { dataChunks: 2, codingChunks: 1 } }];
    const names = (preservePoolNames: boolean): string[] =>
      filesystemFacts({ metadata, spec: { dataPools, preservePoolNames } }).dataPools.map(({ name }) => name);
    expect(names(false)).toEqual(['main-data0', 'main-cold']);
    expect(names(true)).toEqual(['main-data0', 'cold']);
  });
});

describe('where a class of Ceph lies', () => {
  it('is told by provisioners of any operator namespace', () => {
    expect(['rook-ceph.rbd.csi.ceph.com', 'storage.cephfs.csi.ceph.com'].map(isCephProvisioner)).toEqual([true, true]);
    expect(['rook-ceph.ceph.rook.io/bucket', 'driver.longhorn.io'].map(isCephProvisioner)).toEqual([false, false]);
  });

  it('is the pool that takes the data, not the one with the metadata of images', () => {
    const parameters = { clusterID: 'rook', pool: 'metadata', dataPool: 'coded' };
    expect(cephPlaceOf('rook.rbd.csi.ceph.com', parameters)).toEqual({ clusterId: 'rook', pool: 'coded' });
    expect(cephPlaceOf('rook.cephfs.csi.ceph.com', { clusterID: 'rook', fsName: 'shared' })).toEqual({
      clusterId: 'rook',
      filesystem: 'shared',
    });
    expect(cephPlaceOf('rook.rbd.csi.ceph.com', { pool: 'a' })).toBeUndefined();
  });
});
