import { ReservationPhase } from '@quartermaster/api/cluster';
import { describe, expect, it } from 'vitest';
import { filledBook, order, planOn, pod, reservation } from '../../test/filled-book.ts';
import { node } from '../../test/sample-facts.ts';
import type { ReservationBook } from '../book/reservation-book.ts';
import { pageOfReservations } from './reservation-page.ts';

const all = { owner: '', phase: ReservationPhase.UNSPECIFIED as ReservationPhase, node: '', condition: '', pageSize: 0, pageToken: '' };

function sample(): ReservationBook {
  const book = filledBook([node('n-1'), node('n-2')], [pod('n-1', 'ns-bob')]);
  const made = [
    reservation(order('zoe', 1n), { plan: planOn('n-1') }),
    reservation(order('amy', 10n)),
    reservation(order('amy', 9n), { phase: 'active' }),
    reservation(order('bob', 2n), { plan: planOn('n-2'), phase: 'active', leaseNamespace: { name: 'lease', uid: 'ns-bob' } }),
  ];
  for (const each of made) book.setReservation(each);
  return book;
}

const listed = (book: ReservationBook, changed: Partial<typeof all> = {}): readonly string[] =>
  pageOfReservations({ ...all, ...changed }, book).items.map(({ name }) => name);

describe('a page of reservations', () => {
  it('is in the order of owners and numbers, whatever the names sort like', () => {
    expect(listed(sample())).toEqual(['amy-9-1-1', 'amy-10-1-1', 'bob-2-1-1', 'zoe-1-1-1']);
  });

  it('goes on where the page before ended, though reservations came and went meanwhile', () => {
    const book = sample();
    const first = pageOfReservations({ ...all, pageSize: 2 }, book);
    expect(first.items.map(({ name }) => name)).toEqual(['amy-9-1-1', 'amy-10-1-1']);
    book.removeReservation('amy-10-1-1');
    for (const dseq of [8n, 11n]) book.setReservation(reservation(order('amy', dseq)));
    const second = pageOfReservations({ ...all, pageSize: 3, pageToken: first.nextPageToken }, book);
    expect(second.items.map(({ name }) => name)).toEqual(['amy-11-1-1', 'bob-2-1-1', 'zoe-1-1-1']);
    expect(second.nextPageToken).toBe('');
  });

  it('has those for which all conditions hold', () => {
    const book = sample();
    const unplaceable = { type: 'Unplaceable', status: 'True', reason: 'NoRoom', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' };
    book.setReservation(reservation(order('cid', 3n), { plan: planOn('n-2', 90_000), conditions: [{ ...unplaceable, status: 'True' }] }));
    expect(listed(book, { owner: 'amy' })).toEqual(['amy-9-1-1', 'amy-10-1-1']);
    expect(listed(book, { owner: 'amy', phase: ReservationPhase.PENDING })).toEqual(['amy-10-1-1']);
    expect(listed(book, { condition: 'Unplaceable' })).toEqual(['cid-3-1-1']);
    expect(listed(book, { condition: 'OverCommitted' })).toEqual(['cid-3-1-1']);
    expect(listed(book, { node: 'n-1' })).toEqual(['bob-2-1-1', 'zoe-1-1-1']);
    expect(listed(book, { node: 'n-2' })).toEqual(['bob-2-1-1', 'cid-3-1-1']);
    expect(listed(book, { node: 'n-3' })).toEqual([]);
  });

  it.each([
    ['page_size', { pageSize: 1001 }],
    ['page_size', { pageSize: -1 }],
    ['page_token', { pageToken: 'nonsense' }],
    ['phase', { phase: 9 as ReservationPhase }],
  ])('is refused by the field: %s', (field, changed) => {
    expect(() => listed(sample(), changed)).toThrow(`field "${field}"`);
  });
});
