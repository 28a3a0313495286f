import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { StorageClassFacts, StorageReading } from '../../model/storage-inventory.ts';
import { VolumeLedger } from '../querier/volume-ledger.ts';
import { blockPoolFacts, type CephClusterFacts, filesystemFacts } from './ceph-facts.ts';
import { cephPlaceOf } from './ceph-place.ts';
import type { CephReport } from './ceph-toolbox.ts';
import { CephView } from './ceph-view.ts';
import { readCephClass } from './read-ceph-class.ts';

const gib = 2 ** 30;
const namespace = 'storage';
const rbd = 'rook-ceph.rbd.csi.ceph.com';
const clock = new FakeClock();

const cluster: CephClusterFacts = {
  name: 'my-cluster',
  namespace,
  illness: undefined,
  fullRatio: 0.95,
  deviceClasses: ['nvme'],
  raw: { totalBytes: 3000 * gib, usedBytes: 300 * gib, observedAt: clock.now() },
};

const classOf = (name: string, parameters: Record<string, string>, provisioner = rbd): StorageClassFacts => ({
  name,
  provisioner,
  parameters: { clusterID: namespace, ...parameters },
  labels: {},
  annotations: {},
});

const blockPool = (name: string, deviceClass?: string) =>
  blockPoolFacts({
    metadata: { namespace, name },
    spec: { replicated: { size: 3 }, deviceClass },
  });

interface Given {
  readonly cluster?: Partial<CephClusterFacts>;
  readonly pools?: readonly ReturnType<typeof blockPool>[];
  readonly report?: CephReport;
  readonly ledger?: VolumeLedger;
  readonly classes?: readonly StorageClassFacts[];
}

function read(storageClass: StorageClassFacts, given: Given): StorageReading {
  const classes = new Map([storageClass, ...(given.classes ?? [])].map((each) => [each.name, each]));
  const filesystems = [
    filesystemFacts({ metadata: { namespace, name: 'shared' }, spec: { dataPools: [{ replicated: { size: 3 }, deviceClass: 'nvme' }] } }),
  ];
  const context = { volumes: given.ledger ?? new VolumeLedger(), classOf: (name: string) => classes.get(name), clock };
  const view = new CephView({ ...cluster, ...given.cluster }, given.pools ?? [blockPool('blocks')], filesystems, given.report, context);
  const place = cephPlaceOf(storageClass.provisioner, storageClass.parameters);
  return readCephClass(storageClass, place ?? { clusterId: namespace }, view, clock.now());
}

const report = (pools: Record<string, [stored: number, maxAvail: number]>, observedAt = clock.now()): CephReport => ({
  observedAt,
  pools: new Map(
    Object.entries(pools).map(([name, [stored, maxAvail]]) => [
      name,
      { storedBytes: stored * gib, maxAvailBytes: maxAvail * gib, quotaBytes: undefined, redundancy: undefined },
    ]),
  ),
});

const reasonOf = (reading: StorageReading): string | undefined => (reading.known ? reading.refusal?.code : reading.reason.code);

describe('a class on Ceph', () => {
  it('goes by the answer of Ceph itself when there is one', () => {
    expect(read(classOf('beta3', { pool: 'blocks' }), { report: report({ blocks: [100, 800] }) })).toMatchObject({
      known: true,
      amount: { capacity: 900 * gib, available: 800 * gib },
      replicas: 3,
      performance: 'beta3',
      observedAt: clock.now(),
    });
  });

  it('goes by the status of the CephCluster without a toolbox', () => {
    expect(read(classOf('fast', { pool: 'blocks' }), {})).toMatchObject({
      known: true,
      amount: { capacity: 950 * gib, available: 850 * gib },
      observedAt: clock.now(),
    });
  });

  it('keeps figures of an old status, with their age', () => {
    const observedAt = clock.now() - 3_600_000;
    const raw = { totalBytes: 3000 * gib, usedBytes: 0, observedAt };
    expect(read(classOf('fast', { pool: 'blocks' }), { cluster: { raw } })).toMatchObject({ known: true, observedAt });
  });

  it('prefers newer figures of Rook to an answer that is minutes old', () => {
    const old = report({ blocks: [0, 1] }, clock.now() - 600_000);
    expect(read(classOf('fast', { pool: 'blocks' }), { report: old })).toMatchObject({ amount: { capacity: 950 * gib } });
    const recent = report({ blocks: [0, 1] }, clock.now() - 60_000);
    expect(read(classOf('fast', { pool: 'blocks' }), { report: recent })).toMatchObject({ amount: { capacity: gib } });
  });

  it('finds the data pool of a filesystem', () => {
    const shared = classOf('files', { fsName: 'shared' }, 'rook-ceph.cephfs.csi.ceph.com');
    expect(read(shared, { report: report({ 'shared-data0': [0, 70] }) })).toMatchObject({ known: true, amount: { available: 70 * gib } });
    expect(reasonOf(read(classOf('files', { fsName: 'other' }, 'rook-ceph.cephfs.csi.ceph.com'), {}))).toBe('PoolMissing');
  });

  it('counts volumes where they lie, also of a class that was deleted, and claims that wait where their class says', () => {
    const ledger = new VolumeLedger();
    const volume = { bytes: 100 * gib, driver: rbd, attributes: { clusterID: namespace, pool: 'blocks' } };
    ledger.putVolume('a', { ...volume, class: 'fast' });
    ledger.putVolume('b', { ...volume, class: 'deleted' });
    ledger.putVolume('c', { ...volume, class: 'fast', attributes: { clusterID: 'elsewhere', pool: 'blocks' } });
    ledger.putClaim('d', { class: 'other', bytes: 50 * gib, volumeName: '', deleting: false });
    const reading = read(classOf('fast', { pool: 'blocks' }), {
      ledger,
      classes: [classOf('other', { pool: 'blocks' })],
      report: report({ blocks: [0, 900] }),
    });
    expect(reading).toMatchObject({ amount: { capacity: 900 * gib, allocatable: 750 * gib, allocated: 100 * gib, available: 650 * gib } });
    const [first, ...elsewhere] = [...ledger.groupsOf('fast')];
    expect(elsewhere).toHaveLength(1);
    expect(reading.known && [...reading.counted]).toEqual([[first?.place, '']]);
  });

  it('names the same space for pools on the same devices, and another for pools on others', () => {
    const pools = [blockPool('a', 'nvme'), blockPool('b', 'nvme'), blockPool('c', 'hdd'), blockPool('.mgr')];
    const spaceOf = (pool: string, more: typeof pools = []): string | undefined => {
      const reading = read(classOf('x', { pool }), { pools: [...pools, ...more], report: report({ a: [0, 1], b: [0, 1], c: [0, 1] }) });
      return reading.known ? reading.space : undefined;
    };
    expect(spaceOf('a')).toBe(spaceOf('b'));
    expect(spaceOf('a')).not.toBe(spaceOf('c'));
    const untied = blockPool('d');
    expect(spaceOf('a', [untied])).toBe(spaceOf('c', [untied]));
  });

  it('does not take another device class for its own', () => {
    const mixed = { deviceClasses: ['hdd', 'nvme'] };
    expect(reasonOf(read(classOf('fast', { pool: 'a' }), { cluster: mixed, pools: [blockPool('a', 'nvme')] }))).toBe('CapacityUnknown');
    expect(read(classOf('fast', { pool: 'a' }), { cluster: mixed, pools: [blockPool('a')] }).known).toBe(true);
  });

  it('says why there are no figures', () => {
    expect(reasonOf(read(classOf('fast', { pool: 'missing' }), {}))).toBe('PoolMissing');
    expect(reasonOf(read(classOf('fast', {}), {}))).toBe('PoolMissing');
    expect(reasonOf(read(classOf('fast', { pool: 'blocks' }), { cluster: { raw: undefined } }))).toBe('CapacityUnknown');
    const empty = { totalBytes: 0, usedBytes: 0, observedAt: 1 };
    expect(reasonOf(read(classOf('fast', { pool: 'blocks' }), { cluster: { raw: empty } }))).toBe('CapacityUnknown');
  });

  it('is refused with its figures while the cluster is ill', () => {
    const reading = read(classOf('fast', { pool: 'blocks' }), { cluster: { illness: 'reports HEALTH_ERR (OSD_FULL: 1 full osd(s))' } });
    expect(reading).toMatchObject({ known: true, amount: { available: 850 * gib } });
    expect(reading.known && reading.refusal).toEqual({
      code: 'BackendUnhealthy',
      message:
        'the Ceph cluster in namespace storage reports HEALTH_ERR (OSD_FULL: 1 full osd(s)): repair it; the class is offered again as soon as it reports health',
    });
  });
});
