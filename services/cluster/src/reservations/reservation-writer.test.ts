import { FakeClock, StatusError, seededRandom, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { node, one } from '../../test/sample-facts.ts';
import { SmallBook } from '../../test/small-book.ts';
import { promiseIn, SmallWriter } from '../../test/small-writer.ts';
import type { LeaseNamespace, Reservation } from '../model/reservation.ts';
import type { ReservationCache } from './reservation-cache.ts';
import type { ReservationObjects } from './reservation-objects.ts';
import { ReservationWriter } from './reservation-writer.ts';

/** A promise stands; nothing may be written. */
function world(
  leaseOf: () => Promise<LeaseNamespace | 'ambiguous' | undefined> = async () => undefined,
  changed: Partial<Reservation> = {},
) {
  const clock = new FakeClock();
  const book = new SmallBook([node('n1')]);
  const standing = promiseIn(book, clock, changed);
  const term = new SmallWriter(book);
  const writer = new ReservationWriter({
    term: 1,
    signal: new AbortController().signal,
    leadership: term.leadership,
    objects: {} as ReservationObjects,
    cache: {} as ReservationCache,
    book,
    namespaces: { leaseOf },
    decide: book.decide,
    lifetimeMs: 60_000,
    turns: { atOnce: 1, maxCalls: 10 },
    clock,
    random: seededRandom(1),
    log: silentLog,
  });
  const reserve = () => writer.reserve({ order: standing.order, owner: standing.owner, request: one() });
  return { clock, book, standing, term, writer, reserve };
}

const formerLeader = { code: 'unavailable', message: expect.stringContaining('no longer leads') };

describe('a promise that is asked for again', () => {
  it('is answered by nobody who lost the lease, and does not know what became of it since', async () => {
    const { standing, term, reserve } = world();
    expect(await reserve()).toEqual({ kind: 'reserved', reservation: standing });
    term.isLost = true;
    await expect(reserve()).rejects.toMatchObject(formerLeader);
  });

  it('is not what was there before the lease was asked for', async () => {
    const { book, standing, term, reserve } = world();
    term.whileAsked = () => {
      book.removeReservation(standing.name);
      book.removeNode('n1');
    };
    expect(await reserve()).toMatchObject({ kind: 'refused', why: 'does-not-fit' });
  });

  it.each([
    ['the server does not say whether there is a lease', () => Promise.reject(new StatusError('permission_denied', 'no'))],
    ['several namespaces claim to be its lease', async () => 'ambiguous' as const],
  ])('stays though its time is over while %s', async (_, leaseOf) => {
    const { clock, reserve } = world(leaseOf);
    await clock.advance(10 * 60_000);
    await expect(reserve()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('whether there is a lease') });
  });
});

describe('somebody who lost the lease', () => {
  it('neither refuses an order nor says that nothing is promised to it', async () => {
    const { book, standing, term, writer, reserve } = world();
    book.removeReservation(standing.name);
    book.removeNode('n1');
    expect(await reserve()).toMatchObject({ kind: 'refused' });
    expect(await writer.unreserve(standing.order)).toBeUndefined();
    term.isLost = true;
    await expect(reserve()).rejects.toMatchObject(formerLeader);
    await expect(writer.unreserve(standing.order)).rejects.toMatchObject(formerLeader);
    await expect(writer.unreserve(standing.order, 'another')).rejects.toMatchObject(formerLeader);
  });
});

describe('a promise that was made for a bid', () => {
  const bid = { denom: 'uakt', amount: '1' };

  it('has no end of its own, and is given back by nobody who does not know which it is', async () => {
    const { clock, standing, reserve, writer } = world(async () => undefined, { bid, expiresAt: undefined });
    await clock.advance(60 * 60_000);
    expect(await reserve()).toEqual({ kind: 'reserved', reservation: standing });
    await expect(writer.unreserve(standing.order)).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('was made for a bid'),
    });
  });
});
