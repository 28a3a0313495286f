import type { Reservation as ReservationObject } from '@quartermaster/api/reservation';
import { describe, expect, it } from 'vitest';
import { a100, claims, Gi, gpus, node, one, plugin, stock, t4, unit } from '../../test/sample-facts.ts';
import type { Reservation } from '../model/reservation.ts';
import { place } from '../placement/place.ts';
import type { Request } from '../placement/request.ts';
import { isSameAttempt, isSamePlan, isSameRequest, readReservation, specOf } from './reservation-object.ts';

const request: Request = {
  units: [
    unit({
      id: 1,
      count: 2,
      gpus: { count: 1, wants: [{ vendor: 'nvidia', model: '*', interface: 'sxm', memoryBytes: 80 * Gi }] },
      volumes: [
        { kind: 'persistent', name: 'data', class: 'default', bytes: Gi },
        { kind: 'ephemeral', name: 'scratch', bytes: Gi },
        { kind: 'ram', name: 'shm', bytes: Gi },
      ],
      randomPorts: 2,
      leasedIps: ['front'],
    }),
    unit({ id: 2, gpus: gpus(1, 't4') }),
    unit({ id: 3 }),
  ],
};

function planned(): Reservation {
  const nodes = [
    node('n1', { cards: claims([a100, 4, 4]), storageClasses: ['disk'] }),
    node('n2', { cards: plugin(2, 2, { ...t4, interface: '', memoryBytes: 0 }) }),
  ];
  const placing = place(stock(nodes, [{ name: 'disk', isDefault: true, freeBytes: 100 * Gi }], { freeIps: 4 }), request);
  if (placing.kind !== 'plan') throw new Error(JSON.stringify(placing));
  return {
    name: 'akash1x-18446744073709551615-1-2',
    uid: 'u',
    resourceVersion: '7',
    order: { owner: 'akash1x', dseq: 2n ** 64n - 1n, gseq: 1, oseq: 2 },
    owner: 'akash1y',
    request,
    plan: placing.plan,
    phase: 'pending',
    isConfirmed: false,
    createdAt: Date.UTC(2026, 0, 1),
    expiresAt: Date.UTC(2026, 0, 1, 0, 5, 0, 123),
    term: 3,
  };
}

const asStored = (reservation: Reservation, status?: ReservationObject['status']): ReservationObject =>
  JSON.parse(
    JSON.stringify({
      metadata: { name: reservation.name, uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: specOf(reservation),
      status,
    }),
  ) as ReservationObject;

describe('the object of a reservation', () => {
  it('says all of it, and is written again as it was', () => {
    const reservation = planned();
    const stored = asStored(reservation);
    const read = readReservation(stored);
    expect(read).toEqual(reservation);
    expect(isSameAttempt(read, reservation)).toBe(true);
    expect(JSON.parse(JSON.stringify(specOf(read)))).toEqual(stored.spec);
    expect(stored.spec.plan.units.flatMap(({ replicas }) => replicas.flatMap(({ cards }) => cards?.assignedBy ?? []))).toEqual([
      'claim',
      'claim',
      'plugin',
    ]);
  });

  it('says where the bytes of volumes are, which makes it no other plan', () => {
    const classes = [
      { name: 'local', freeBytes: new Map([['a', 10 * Gi]]), replicas: 2, ephemeralNodes: new Set(['a', 'b']) },
      { name: 'scratch', freeBytes: new Map([['a', 10 * Gi]]) },
      { name: 'disk', freeBytes: 10 * Gi, replicas: 2, replicasPerNode: 2, ephemeralNodes: new Set(['a']) },
    ];
    const volumes = classes.map(({ name }) => ({ kind: 'persistent', name, class: name, bytes: Gi }) as const);
    const placing = place(stock([node('a', { storageClasses: classes.map(({ name }) => name) })], classes), one({ volumes }));
    if (placing.kind !== 'plan') throw new Error(JSON.stringify(placing));
    const reservation = { ...planned(), plan: placing.plan };
    const stored = asStored(reservation);
    expect(stored.spec.plan.units[0]?.volumes?.map(({ space }) => space)).toEqual([
      { nodeLocal: true, copies: 2, apartFrom: ['scratch'], ephemeralNodes: ['a'] },
      { nodeLocal: true, copies: 1, apartFrom: ['local'] },
      { nodeLocal: false, copies: 2, copiesOnNode: 2, anyEphemeralStorage: true },
    ]);
    expect(readReservation(stored).plan).toEqual(placing.plan);
    for (const each of stored.spec.plan.units[0]?.volumes ?? []) Object.assign(each, { space: undefined });
    const older = readReservation(stored);
    expect(older.plan.units[0]?.volumes.map(({ space }) => space)).toEqual([undefined, undefined, undefined]);
    expect([isSamePlan(older.plan, placing.plan), isSameAttempt(older, reservation)]).toEqual([true, true]);
    expect(isSameAttempt(older, { ...reservation, term: 4 })).toBe(false);
    expect(isSamePlan(older.plan, { ...placing.plan, ports: 1 })).toBe(false);
  });

  it('says which bid it was made for, and then has no end of its own', () => {
    const reservation = { ...planned(), expiresAt: undefined, bid: { denom: 'uakt', amount: '1.5' } };
    const stored = asStored(reservation);
    expect(stored.spec).toMatchObject({ bid: { denom: 'uakt', amount: '1.5' } });
    expect(stored.spec.expiresAt).toBeUndefined();
    expect(readReservation(stored)).toEqual(reservation);
  });

  it('says what became of it, and an active one does not expire', () => {
    const leaseNamespace = { name: 'lease', uid: 'n' };
    expect(readReservation(asStored(planned(), { confirmed: true, phase: 'Pending' }))).toMatchObject({
      isConfirmed: true,
      phase: 'pending',
    });
    const active = readReservation(asStored(planned(), { confirmed: true, phase: 'Active', leaseNamespace }));
    expect(active).toMatchObject({ isConfirmed: true, phase: 'active', leaseNamespace, expiresAt: undefined });
  });

  it('tells requests apart by what is asked for, not by how it is written', () => {
    const [first, ...others] = request.units;
    const bare = unit({ id: 3, gpus: { count: 0, wants: [] }, randomPorts: 0, leasedIps: [] });
    expect(isSameRequest({ units: [bare] }, { units: [unit({ id: 3 })] })).toBe(true);
    expect(isSameRequest(request, { units: [{ ...(first ?? bare), cpuMillis: 1 }, ...others] })).toBe(false);
  });

  it.each([
    ['no spec', { spec: undefined }],
    [
      'an order of more than 64 bits',
      { spec: { ...specOf(planned()), order: { owner: 'a', dseq: '99999999999999999999', gseq: 1, oseq: 1 } } },
    ],
    ['a time that is none', { spec: { ...specOf(planned()), expiresAt: 'soon' } }],
    ['an unknown phase', { status: { phase: 'Lost' } }],
    ['no uid', { metadata: { name: 'x', resourceVersion: '1' } }],
  ])('cannot be read with %s, and says its name', (_, changed) => {
    const odd = { ...asStored(planned()), ...changed } as unknown as ReservationObject;
    expect(() => readReservation(odd)).toThrow(new RegExp(`^Reservation ${odd.metadata?.name ?? ''} cannot be read: `));
  });
});
