import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type GetStatusResponse, GetStatusResponseSchema } from '@quartermaster/api/cluster';
import { describe, expect, it } from 'vitest';
import { type Look, listingText } from '../text/listing.ts';
import { capacityView } from './capacity-list.ts';
import { gib, look, start, wideLook } from './test/reservation-messages.ts';

const view = capacityView();
const amount = (allocatable: bigint, allocated: bigint, pending: bigint, active: bigint, available: bigint, overcommitted = 0n) => ({
  ...{ allocatable, allocated, pending, active, available, overcommitted },
  headroom: allocatable / 10n,
});

type Init = Exclude<MessageInitShape<typeof GetStatusResponseSchema>, GetStatusResponse>;

const known: Init = {
  leader: 'cluster-0',
  term: 3n,
  inventory: { fresh: true, lastContactAt: timestampFromMs(start - 4_000) },
  availability: {
    cpu: amount(188_000n, 64_500n, 10_500n, 2_000n, 111_000n),
    memory: amount(1000n * gib, 240n * gib, 70n * gib, 3n * gib, 687n * gib),
    ephemeralStorage: amount(720n * gib, 0n, 300n * gib, 0n, 420n * gib),
    gpus: [
      {
        group: { vendor: 'nvidia', model: 'h100', interface: 'SXM5', memoryBytes: 80n * gib },
        amount: amount(8n, 3n, 0n, 6n, 0n, 1n),
      },
    ],
    storage: [
      { storageClass: 'beta3', amount: amount(1024n * gib, 0n, gib, 0n, 1023n * gib) },
      { storageClass: 'nfs', refusal: { code: 'NoQuerier', message: 'nobody knows its provisioner' } },
    ],
    ports: amount(2768n, 12n, 2n, 0n, 2754n),
    leasedIps: { refusal: { code: 'IpCapacityUnknown', message: 'nobody says now how many addresses are free' } },
  },
  pending: { count: 2n },
  active: { count: 1n },
  overCommitted: 1n,
};

const shown = (changed: Init = {}, as: Look = look): readonly string[] =>
  listingText(view.list(create(GetStatusResponseSchema, { ...known, ...changed }), as)).split('\n');

describe('the capacity of the cluster', () => {
  it('is what can still be sold, with what is reserved taken off, and why nothing of some of it can', () => {
    expect(shown()).toEqual([
      'RESOURCE                 ALLOCATABLE  ALLOCATED  RESERVED  SELLABLE  OVER-COMMITTED',
      'CPU                      188          64.5       12.5      111       -',
      'memory                   1000 GiB     240 GiB    73 GiB    687 GiB   -',
      'ephemeral storage        720 GiB      0 B        300 GiB   420 GiB   -',
      'nvidia h100 SXM5 80 GiB  8            3          6         0         1',
      'storage class beta3      1 TiB        0 B        1 GiB     1023 GiB  -',
      'storage class nfs        ?            ?          ?         none      ?',
      'external ports           2768         12         2         2754      -',
      'leased addresses         ?            ?          ?         none      ?',
      '',
      'storage class nfs: nobody knows its provisioner',
      'leased addresses: nobody says now how many addresses are free',
      '',
      'Reservations: 2 pending and 1 active, 1 of them over-committed.',
      'Leader: cluster-0, term 3. Inventory: heard of 4s ago.',
      '',
      'Sellable is the sum over all nodes: "quartermaster explain fit" tells whether a request finds a place.',
      '',
    ]);
  });

  it('tells pending and active apart when wide, and exactly where that is asked for', () => {
    const [header = '', cpu = ''] = shown({}, { ...wideLook, exact: true });
    expect(header).toMatch(/OVER-COMMITTED +PENDING +ACTIVE +HEADROOM$/);
    expect(cpu).toMatch(/^CPU +188000 +64500 +12500 +111000 +- +10500 +2000 +18800$/);
  });

  it('says that nothing can be promised, and why', () => {
    const text = shown({ leader: '', inventory: { reason: { code: 'InventoryStale', message: 'the inventory is silent' } } }).join('\n');
    expect(text).toContain('Leader: none, so that nothing can be reserved. Inventory: never heard of.\n');
    expect(text).toContain('Nothing new is promised: the inventory is silent\n');
    expect(shown({ availability: undefined })[0]).toMatch(/has not read the inventory yet/);
  });

  it('is the status of the service for programs', () => {
    expect(view.document(create(GetStatusResponseSchema, known))).toMatchObject({ availability: { cpu: { headroom: '18800' } } });
  });
});
