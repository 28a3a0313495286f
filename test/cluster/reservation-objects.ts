import { contractsFolder } from '@quartermaster/api/manifests';
import { type Reservation, type ReservationSpec, type ReservedUnit, reservationType } from '@quartermaster/api/reservation';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { failureKind, patience, refusedFields, uniqueName } from '../contract/client-fixtures.ts';
import type { ContractServer } from '../contract/contract-server.ts';

const group = { vendor: 'nvidia', model: 'h100', interface: 'SXM5', memoryBytes: 80 * 2 ** 30 };
const unit: ReservedUnit = {
  id: 1,
  count: 2,
  cpuMillis: 1500,
  memoryBytes: 2 ** 31,
  gpus: { count: 1, wants: [{ vendor: 'nvidia', model: '*', interface: 'sxm' }] },
  volumes: [
    { name: 'scratch', kind: 'ephemeral', bytes: 2 ** 30 },
    { name: 'data', kind: 'persistent', bytes: 2 ** 34, storageClass: 'beta3' },
  ],
  randomPorts: 1,
  leasedIps: ['front'],
};

function specWith(replicas: number, units: readonly ReservedUnit[] = [unit]): ReservationSpec {
  const cards = { resource: 'nvidia.com/gpu', count: 1, assignedBy: 'claim', groups: [group], devices: [`GPU-${'0'.repeat(36)}`] } as const;
  const replica = (index: number) => ({ node: `node-of-a-datacenter-${index}`, nodeUid: '0'.repeat(36), cards });
  const ephemeralNodes = Array.from({ length: replicas }, (_, index) => replica(index).node);
  const apartFrom = Array.from({ length: 32 }, (_, index) => `class-of-a-datacenter-${index}`);
  const planned = units.map(({ id, cpuMillis, memoryBytes }) => ({
    id,
    cpuMillis,
    memoryBytes,
    ephemeralStorageBytes: 2 ** 30,
    volumes: [
      { name: 'data', storageClass: 'local', bytes: 2 ** 34, space: { nodeLocal: true, copies: 1, apartFrom, ephemeralNodes } },
      { name: 'logs', storageClass: 'longhorn', bytes: 2 ** 34, space: { nodeLocal: false, copies: 3, anyEphemeralStorage: true } },
      { name: 'old', storageClass: 'ceph-nvme', bytes: 2 ** 34 },
    ],
    replicas: Array.from({ length: replicas }, (_, index) => replica(index)),
  }));
  return {
    order: { owner: 'akash1x', dseq: '18446744073709551615', gseq: 1, oseq: 1 },
    owner: 'akash1x',
    units,
    plan: { units: planned, ports: 1, leasedIps: 1 },
    expiresAt: '2026-01-01T00:05:00Z',
    term: 7,
  };
}

/** What an API server promises of reservations, and what it refuses. */
export function describeReservationObjects(server: () => ContractServer): void {
  describe('a Reservation', () => {
    beforeAll(async () => {
      const [definition = {}] = await readManifests(contractsFolder, ['reservation']);
      await server().client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
      await vi.waitFor(() => server().client.list(reservationType, { limit: 1 }), patience);
    });

    const make = (spec: ReservationSpec, status?: Reservation['status']): Promise<Reservation> =>
      server().client.create(reservationType, { metadata: { name: uniqueName('akash1x') }, spec, status }, { fieldValidation: 'Strict' });
    const change = (of: Reservation, spec: Partial<ReservationSpec>) =>
      server().client.replace(reservationType, { ...of, spec: { ...of.spec, ...spec } });
    const setStatus = (of: Reservation, status: Reservation['status']) =>
      server().client.replace(reservationType, { ...of, status }, { subresource: 'status' });

    it('is stored as it was written, and is not confirmed by whoever makes it', async () => {
      const spec = specWith(2);
      const made = await make(spec, { confirmed: true, phase: 'Active' });
      expect([made.spec, made.status]).toEqual([spec, undefined]);
    });

    it('is confirmed on what was read alone, and for good', async () => {
      const made = await make(specWith(2));
      const replanned = await change(made, { plan: specWith(1).plan });
      expect(await failureKind(setStatus(made, { confirmed: true, phase: 'Pending' }))).toBe('conflict');
      const confirmed = await setStatus(replanned, { confirmed: true, phase: 'Pending' });
      expect([confirmed.status, confirmed.spec]).toEqual([{ confirmed: true, phase: 'Pending' }, replanned.spec]);
      expect(await refusedFields(setStatus(confirmed, { confirmed: false, phase: 'Pending' }))).toEqual(['status.confirmed']);
      const leaseNamespace = { name: 'lease-1', uid: 'u' };
      const active = await setStatus(confirmed, { confirmed: true, phase: 'Active', leaseNamespace });
      expect(active.status?.leaseNamespace).toEqual(leaseNamespace);
      expect(await refusedFields(setStatus(active, { confirmed: true, phase: 'Pending' }))).toEqual(['status.phase']);
    });

    it('stays that of its order, owner and request, and is not written by a leader of an older term', async () => {
      const made = await make(specWith(2));
      const { spec } = made;
      expect(await refusedFields(change(made, { order: { ...spec.order, oseq: 2 } }))).toEqual(['spec.order']);
      expect(await refusedFields(change(made, { owner: 'akash1y' }))).toEqual(['spec.owner']);
      expect(await refusedFields(change(made, { units: [{ ...unit, cpuMillis: 1 }] }))).toEqual(['spec.units']);
      expect(await refusedFields(change(made, { term: 6 }))).toEqual(['spec.term']);
      expect((await change(made, { term: 8, expiresAt: '2026-01-01T00:10:00Z' })).spec.term).toBe(8);
    });

    it('has bounds, within which it fits into the store', async () => {
      const units = Array.from({ length: 20 }, (_, id) => ({ ...unit, id, count: 50 }));
      const largest = await make(specWith(50, units));
      expect(largest.spec.plan.units.flatMap(({ replicas }) => replicas)).toHaveLength(1000);
      expect(await refusedFields(make(specWith(1, [...units, { ...unit, id: 20 }])))).toEqual(
        expect.arrayContaining(['spec.units', 'spec.plan.units']),
      );
      expect(await refusedFields(make(specWith(51)))).toContain('spec.plan.units[0].replicas');
      expect(await refusedFields(make(specWith(2, [{ ...unit, count: 51, cpuMillis: -1 }])))).toEqual(
        expect.arrayContaining(['spec.units[0].count', 'spec.units[0].cpuMillis']),
      );
    });
  });
}
