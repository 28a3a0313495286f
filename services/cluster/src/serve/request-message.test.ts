import { create } from '@bufbuild/protobuf';
import { OrderIdSchema, ResourceRequestSchema, VolumeKind } from '@quartermaster/api/cluster';
import { fieldViolationsOf } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requests } from '../../test/arbitraries.ts';
import { orderMessage, orderOf, requestMessage, requestOf } from './request-message.ts';

const Gi = 2 ** 30;
const unit = { id: 1, count: 1, cpuMillis: 1000n, memoryBytes: BigInt(Gi) };
const volume = { name: 'data', bytes: BigInt(Gi), kind: VolumeKind.PERSISTENT, storageClass: 'beta3' };
const request = (...units: object[]) => create(ResourceRequestSchema, { units });

const longNames = Array.from({ length: 16 }, (_, at) => ({ ...volume, name: `${at}`.padEnd(253, 'x') }));

function fieldsOf(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (thrown) {
    return fieldViolationsOf(thrown).map(({ field }) => field);
  }
}

describe('a request', () => {
  it('comes back from its message as it was', () => {
    fc.assert(
      fc.property(requests(8), (asked) => {
        const legal = { units: asked.units.map((each, id) => ({ ...each, id, gpus: each.gpus?.count === 0 ? undefined : each.gpus })) };
        const again = requestOf(create(ResourceRequestSchema, requestMessage(legal)));
        expect(requestMessage(again)).toEqual(requestMessage(legal));
      }),
      { numRuns: 50 },
    );
    const full = request({
      ...unit,
      gpus: {
        count: 2,
        wants: [
          { vendor: 'nvidia', model: '*' },
          { vendor: 'amd', model: 'mi300x', memoryBytes: 1n, interface: 'pcie' },
        ],
      },
      volumes: [volume, { name: 'shm', bytes: BigInt(Gi), kind: VolumeKind.RAM }],
      randomPorts: 2,
      leasedIps: ['front'],
    });
    expect(create(ResourceRequestSchema, requestMessage(requestOf(full)))).toEqual(full);
  });

  it.each([
    ['request', undefined],
    ['request.units', request()],
    ['request', request(...Array.from({ length: 20 }, (_, id) => ({ ...unit, id, volumes: longNames })))],
    ['request.units[0].count', request({ ...unit, count: 0 })],
    ['request.units[0].cpu_millis', request({ ...unit, cpuMillis: -1n })],
    ['request.units[0].memory_bytes', request({ ...unit, memoryBytes: 2n ** 63n - 1n })],
    ['request.units[0].gpus.wants', request({ ...unit, gpus: { count: 1 } })],
    ['request.units[0].gpus.wants[0].model', request({ ...unit, gpus: { count: 1, wants: [{ vendor: 'v', model: 'm'.repeat(129) }] } })],
    ['request.units[0].volumes[0].kind', request({ ...unit, volumes: [{ ...volume, kind: VolumeKind.UNSPECIFIED }] })],
    ['request.units[0].volumes[0].kind', request({ ...unit, volumes: [{ ...volume, kind: 99 }] })],
    ['request.units[0].volumes[0].storage_class', request({ ...unit, volumes: [{ ...volume, storageClass: '' }] })],
    ['request.units[0].volumes[0].storage_class', request({ ...unit, volumes: [{ ...volume, kind: VolumeKind.EPHEMERAL }] })],
    ['request.units[0].leased_ips[0]', request({ ...unit, leasedIps: [''] })],
    ['request.units[1].id', request(unit, unit)],
  ])('is refused by the field of the contract: %s', (field, message) => {
    expect(fieldsOf(() => requestOf(message))).toEqual([field]);
  });

  it('has no cards where it asks for none of some', () => {
    expect(requestOf(request({ ...unit, gpus: { count: 0 } })).units[0]?.gpus).toBeUndefined();
  });
});

describe('an order', () => {
  it('keeps numbers of 64 bits', () => {
    const order = create(OrderIdSchema, { owner: 'akash1x', dseq: 2n ** 64n - 1n, gseq: 1, oseq: 2 ** 32 - 1 });
    expect(create(OrderIdSchema, orderMessage(orderOf(order)))).toEqual(order);
  });

  it.each([
    ['order', undefined],
    ['order.owner', create(OrderIdSchema, { dseq: 1n })],
    ['order.owner', create(OrderIdSchema, { owner: 'a'.repeat(257) })],
    ['order.owner', create(OrderIdSchema, { owner: 'akash1x\nakash1y' })],
    ['order.owner', create(OrderIdSchema, { owner: '\u001b[31makash1x' })],
    ['order.owner', create(OrderIdSchema, { owner: 'akash1\u202ex' })],
  ])('is refused by its field: %s', (field, message) => {
    expect(fieldsOf(() => orderOf(message))).toEqual([field]);
  });
});
