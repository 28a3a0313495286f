import type { ReservationPhase } from '@quartermaster/api/cluster';
import { describe, expect, it } from 'vitest';
import { type Look, listingText } from '../text/listing.ts';
import { paintFor } from '../text/paint.ts';
import { reservationDescription } from './reservation-description.ts';
import { reservationView } from './reservation-list.ts';
import { active, look, pending, reservation, wideLook } from './test/reservation-messages.ts';

const view = reservationView({ isFiltered: false });
const both = [reservation(pending), reservation(active)];

const shown = (reservations = both, as: Look = look): readonly string[] => listingText(view.list(reservations, as)).split('\n');

describe('a list of reservations', () => {
  it('says what of each runs, where it is planned and until when', () => {
    expect(shown()).toEqual([
      'ORDER            STATE                   CPU        MEMORY       GPU     STORAGE        PODS    NODES         EXPIRES  AGE',
      'akash1ann/7/1/1  Pending                 0 of 12.5  0 of 73 GiB  0 of 6  beta3 1.5 TiB  0 of 4  gpu-1, gpu-2  in 5m    1m',
      'akash1bob/8/1/1  Active, over-committed  1 of 2     2 of 4 GiB   -       -              1 of 2  gpu-1, gpu-3  never    2h',
      '',
      'Amounts are allocated of promised.',
      '',
    ]);
  });

  it('has exact integers where they are asked for', () => {
    expect(shown(both, { ...look, exact: true })[2]).toContain('1000 of 2000  2147483648 of 4294967296');
  });

  it('adds whom it is counted for, its namespace, term and uid when it may be wide', () => {
    const [header = '', first = '', second = ''] = shown(both, wideLook);
    expect(header).toMatch(/AGE +OWNER +EPHEMERAL +PORTS +ADDRESSES +NAMESPACE +TERM +UID$/);
    expect(first).toMatch(/1m +akash1ann +0 of 300 GiB +0 of 2 +0 of 1 +- +3 +uid-7$/);
    expect(second).toMatch(/2h +akash1bob +- +- +- +lease-8 +2 +uid-8$/);
  });

  it('names three nodes and counts the others', () => {
    const replicas = ['e', 'b', 'd', 'a', 'c', 'a'].map((node) => ({ node }));
    const [, row = ''] = shown([reservation({ ...pending, plan: { units: [{ id: 1, replicas }] } })]);
    expect(row).toContain('a, b, c, 2 more');
  });

  it('says of an attempt that nobody may rely on it, and of what nobody says that it is unknown', () => {
    const bare = reservation({ order: { owner: 'o', dseq: 1n, gseq: 2, oseq: 3 } });
    expect(shown([bare])[1]).toMatch(/^o\/1\/2\/3 +Not confirmed +\? +\? +\? +\? +0 of 0 +- +- +\?$/);
    expect(shown([reservation({ ...pending, phase: 9 as ReservationPhase })])[1]).toContain('Unknown');
    expect(shown([reservation({ ...pending, expiresAt: pending.createdAt })])[1]).toContain('  due  ');
    expect(shown([reservation({ ...pending, allocated: undefined })])[1]).toContain('? of 12.5  ? of 73 GiB  ? of 6');
    expect(shown([bare]).join()).not.toMatch(/null|undefined|NaN/);
  });

  it('says in words that there is none, also of those that were meant', () => {
    expect(shown([])).toEqual(['Nothing is reserved.', '']);
    expect(listingText(reservationView({ isFiltered: true }).list([], look))).toBe('No reservation matches.\n');
  });

  it('is for programs as the contract has it, and by orders', () => {
    expect(view.document(both)).toMatchObject({
      reservations: [{ phase: 'RESERVATION_PHASE_PENDING', order: { dseq: '7' } }, { uid: 'uid-8' }],
    });
    expect([...(view.objects?.(both).keys() ?? [])]).toEqual(['akash1ann/7/1/1', 'akash1bob/8/1/1']);
    expect(view.names?.(both)).toEqual(['akash1ann/7/1/1', 'akash1bob/8/1/1']);
  });

  it('is coloured by its state on a terminal', () => {
    expect(shown(both, { ...look, paint: { ...paintFor({}), warn: (text) => `<${text}>` } })[1]).toContain('<Pending>');
  });
});

describe('the description of a reservation', () => {
  it('tells of one that may become a lease what was asked for, where each replica goes and when it is given back', () => {
    expect(reservationDescription(reservation(pending), wideLook).split('\n')).toEqual([
      'Reservation  akash1ann/7/1/1',
      'UID          uid-7',
      'State        Pending',
      'Owner        akash1ann',
      'Created      2025-12-31 23:58:30Z (1m ago)',
      'Expires      in 5m (2026-01-01 00:05:00Z), unless it becomes active',
      'Lease        none yet',
      'Term         3',
      '',
      'Amounts',
      '  RESOURCE             PROMISED  ALLOCATED  RESERVED',
      '  CPU                  12.5      0          12.5',
      '  memory               73 GiB    0 B        73 GiB',
      '  ephemeral storage    300 GiB   0 B        300 GiB',
      '  nvidia.com/gpu       6         0          6',
      '  storage class beta3  1.5 TiB   0 B        1.5 TiB',
      '  external ports       2         0          2',
      '  leased addresses     1         0          1',
      '',
      'Request',
      '  units:',
      '    - count: 3',
      '      cpu: 4',
      '      memory: 16Gi',
      '      gpu:',
      '        count: 2',
      '        wants:',
      '          - vendor: nvidia',
      '            model: h100',
      '          - vendor: nvidia',
      '            model: h200',
      '      storage:',
      '        - name: root',
      '          size: 100Gi',
      '        - name: shm',
      '          size: 8Gi',
      '          ram: true',
      '        - name: data',
      '          size: 512Gi',
      '          persistent: true',
      '          class: beta3',
      '    - count: 1',
      '      cpu: 500m',
      '      memory: 1Gi',
      '      ports: 2',
      '      ips:',
      '        - web',
      '',
      'Plan',
      '  NODE   UNIT  REPLICAS  CPU  MEMORY  EPHEMERAL  GPU               VOLUMES',
      '  gpu-1  1     2         8    48 GiB  200 GiB    4 × h100          data 1 TiB of beta3',
      '  gpu-1  2     1         0.5  1 GiB   0 B        -                 -',
      '  gpu-2  1     1         4    24 GiB  100 GiB    2 × h100 or h200  data 512 GiB of beta3',
      '  Of the whole cluster: 2 external ports, 1 leased address.',
      '',
      'Pods',
      '  unit 1: 0 of 3',
      '  unit 2: 0 of 1',
      '  together: 0 of 4',
      '',
    ]);
  });

  it('tells of one with a lease where its pods are, and who shares a place with it where more is promised than there is', () => {
    const lines = reservationDescription(reservation(active), wideLook).split('\n');
    expect(lines.slice(2, 20)).toEqual([
      'State        Active, over-committed',
      'Owner        akash1bob',
      'Created      2025-12-31 22:00:00Z (2h ago)',
      'Expires      never: it stays until it is unreserved',
      'Lease        namespace lease-8 (ns-8)',
      'Term         2',
      '',
      'Conditions',
      '  Over-committed for 3m: more is promised than there is: move what others run there',
      '    where: node gpu-1, storage class beta3, external ports, leased addresses',
      '    shared with:',
      '      akash1ann/7/1/1',
      '      akash1eve/9/1/1',
      '',
      'Amounts',
      '  RESOURCE  PROMISED  ALLOCATED  RESERVED',
      '  CPU       2         1          1',
      '  memory    4 GiB     2 GiB      2 GiB',
    ]);
    expect(lines.slice(-4)).toEqual(['Pods', '  unit 1: 1 of 2', '  "quartermaster get allocations -n lease-8" lists them.', '']);
  });

  it('names the devices where a claim does', () => {
    const cards = { resource: 'gpu.nvidia.com', count: 2, groups: [{ vendor: 'nvidia', model: 'h100' }], devices: ['GPU-1', 'GPU-2'] };
    const text = reservationDescription(
      reservation({ ...pending, plan: { units: [{ id: 1, replicas: [{ node: 'a', cards }] }] } }),
      wideLook,
    );
    expect(text).toContain('2 × h100 (GPU-1, GPU-2)');
  });

  it('says of what a newer service leaves out that it is not known', () => {
    const text = reservationDescription(reservation({ uid: 'u' }), wideLook);
    expect(text).toMatch(/Request\n {2}\?\n\nPlan\n {2}\?\n/);
    expect(text).not.toMatch(/null|undefined|NaN/);
  });
});
