import { describe, expect, it } from 'vitest';
import { order, reservation } from '../../test/filled-book.ts';
import { a100, Gi, gpus, one } from '../../test/sample-facts.ts';
import type { Change } from '../placement/nearest-changes.ts';
import { changeMessage } from './explanation-message.ts';

const request = one({
  count: 2,
  gpus: gpus(4, 't4'),
  volumes: [
    { kind: 'persistent', name: 'data', class: 'beta3', bytes: 4 * Gi },
    { kind: 'ram', name: 'shm', bytes: Gi },
    { kind: 'ephemeral', name: 'root', bytes: Gi },
  ],
});
const known = [reservation(order('amy', 1n), { expiresAt: 10_000 }), reservation(order('bob', 2n), { expiresAt: 20_000 })];
const told = (change: Change) => changeMessage(change, request, (name) => known.find((each) => each.name === name));
type Less = Extract<Change, { kind: 'less' }>;

const less = (what: Less['what'], from: number, to: number, volume?: string): Less => ({
  kind: 'less',
  unit: 1,
  what,
  from,
  to,
  volume,
});

describe('a change that would fit', () => {
  it.each([
    [less('cpu-millis', 2000, 500), 'cpu', 500n, 'Unit 1 fits with 0.5 cores instead of 2 cores for each replica.'],
    [less('gpus', 4, 1), 'gpu', 1n, 'Unit 1 fits with 1 instead of 4 GPUs for each replica.'],
    [
      less('storage-bytes', 4 * Gi, 2.5 * Gi, 'data'),
      'storage/beta3',
      BigInt(2.5 * Gi),
      'Unit 1 fits with 2.5 GiB instead of 4 GiB for the volume data for each replica.',
    ],
    [
      less('memory-bytes', 64 * Gi, 64 * Gi - 2 ** 20),
      'memory',
      BigInt(64 * Gi - 2 ** 20),
      'Unit 1 fits with 63.9 GiB instead of 64 GiB of memory for each replica.',
    ],
    [
      less('memory-bytes', 64 * Gi + 2 ** 20, 64 * Gi),
      'memory',
      BigInt(64 * Gi),
      'Unit 1 fits with 65536 MiB instead of 65537 MiB of memory for each replica.',
    ],
    [
      less('storage-bytes', Gi, 1024, 'shm'),
      'memory',
      1024n,
      'Unit 1 fits with 1 KiB instead of 1 GiB for the volume shm for each replica.',
    ],
    [
      less('storage-bytes', Gi, 5, 'root'),
      'ephemeral-storage',
      5n,
      'Unit 1 fits with 5 B instead of 1 GiB for the volume root for each replica.',
    ],
  ])('names the resource and the amount: %j', (change, resource, amount, message) => {
    expect(told(change)).toEqual({
      message,
      change: { case: 'lessResource', value: { unit: 1, resource, amount, volume: change.volume ?? '' } },
    });
  });

  it('names cards as an order would', () => {
    expect(told({ kind: 'other-model', unit: 1, group: a100 })).toEqual({
      message: 'Unit 1 fits with 4 × nvidia a100 with 80 GiB for each replica: they are free.',
      change: {
        case: 'otherCards',
        value: { unit: 1, count: 4, want: { vendor: 'nvidia', model: 'a100', memoryBytes: BigInt(80 * Gi), interface: 'sxm' } },
      },
    });
  });

  it('names who would have to go, and when the last of them does', () => {
    expect(told({ kind: 'release', ids: ['amy-1-1-1', 'bob-2-1-1', 'gone'] })).toMatchObject({
      message: 'It fits once 2 pending reservations are given back, at the latest at 1970-01-01 00:00:20 UTC unless they become active.',
      change: { case: 'awaitRelease', value: { orders: [{ owner: 'amy' }, { owner: 'bob' }], expectedAt: { seconds: 20n } } },
    });
    expect(told({ kind: 'release', ids: ['gone'] })).toBeUndefined();
  });
});
