import { create, toBinary } from '@bufbuild/protobuf';
import { LeaseSchema, LeaseState, type Order, OrderSchema, OrderState } from '@quartermaster/api/market';
import { FakeClock } from '@quartermaster/kernel';
import { type Change, type ChangeType, encodeChangeBody, KeyRing } from '@quartermaster/store';
import { describe, expect, it } from 'vitest';
import { createKinds } from '../kinds/kinds.ts';
import { concerns, wakes } from './wakes.ts';

const kinds = createKinds(KeyRing.parse(KeyRing.generate()), { now: () => 0 });
const tokenAt = (xid: bigint): string => {
  const bytes = Buffer.alloc(24);
  bytes.writeBigUInt64BE(xid, 8);
  return bytes.toString('base64url');
};
const order = (state: OrderState): Order => create(OrderSchema, { id: '1-1-1', status: { state } });
const change = (kind: string, type: ChangeType, objectId = '1-1-1-p1', object = order(OrderState.OPEN)): Change => ({
  kind,
  type,
  objectId,
  version: 1n,
  tenantsBefore: [],
  tenantsAfter: [],
  body: encodeChangeBody({ object: toBinary(OrderSchema, object) }),
  token: tokenAt(7n),
  at: new Date(0),
});

const leaseChange = (type: ChangeType, state: LeaseState, delivery?: string): Change => ({
  ...change('leases', type),
  body: encodeChangeBody({
    object: toBinary(
      LeaseSchema,
      create(LeaseSchema, { id: '1-1-1-p1', status: { state, ...(delivery && { delivery: { state: delivery } }) } }),
    ),
  }),
});

describe('a change', () => {
  it.each([
    ['a new order', change('orders', 'created'), true],
    ['an order that another bid was counted on', change('orders', 'updated'), false],
    ['an order that has its lease', change('orders', 'updated', '1-1-1', order(OrderState.ACTIVE)), true],
    ['a closed order', change('orders', 'updated', '1-1-1', order(OrderState.CLOSED)), true],
    ['an order that is forgotten', change('orders', 'deleted'), false],
    ['its bid', change('bids', 'updated'), true],
    ['its lease', leaseChange('created', LeaseState.ACTIVE), true],
    ['its lease that it has reported of', leaseChange('updated', LeaseState.ACTIVE, 'Active'), false],
    ['its lease that has got another manifest', leaseChange('signaled', LeaseState.ACTIVE, 'Active'), true],
    ['its lease that was closed', leaseChange('updated', LeaseState.CLOSED, 'Active'), true],
    ['its closed lease that it has reported complete', leaseChange('updated', LeaseState.CLOSED, 'Complete'), false],
    ['a bid of another', change('bids', 'created', '1-1-1-p2'), false],
    ['a lease of another whose name ends like its own', change('leases', 'updated', '1-1-1-x-p1'), false],
    ['a deployment', change('deployments', 'updated', '1'), false],
    ['a key of an owner', change('owner_keys', 'deleted', 'k'), true],
  ] as const)('of %s', (_what, each, expected) => {
    expect(concerns(kinds, 'p1', each)).toBe(expected);
  });
});

describe('wakes', () => {
  it('come at once, and then together for all that happens within a moment', async () => {
    const clock = new FakeClock(0);
    const more = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const feed = {
      async *read() {
        yield { bookmark: tokenAt(4n) };
        await more.promise;
        for (const xid of [5n, 6n, 7n]) yield { ...change('bids', 'updated'), token: tokenAt(xid) };
        yield { bookmark: tokenAt(9n) };
        await over.promise;
      },
    };
    const stream = wakes({ feed, concerns: () => true, clock }, new AbortController().signal);
    expect(await stream.next()).toEqual({ done: false, value: 5n });
    const next = stream.next();
    more.resolve();
    await clock.advance(50);
    expect(await next).toEqual({ done: false, value: 8n });
    over.resolve();
    const last = stream.next();
    await clock.advance(50);
    expect((await last).done).toBe(true);
  });

  it('end with the failure of the feed', async () => {
    const feed = {
      async *read() {
        yield { bookmark: tokenAt(4n) };
        throw new Error('away');
      },
    };
    const stream = wakes({ feed, concerns: () => true, clock: new FakeClock(0) }, new AbortController().signal);
    await expect(stream.next().then(() => stream.next())).rejects.toThrow('away');
  });
});
