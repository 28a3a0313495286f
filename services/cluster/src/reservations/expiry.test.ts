import { FakeClock, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { node } from '../../test/sample-facts.ts';
import { SmallBook } from '../../test/small-book.ts';
import { promiseIn, SmallWriter } from '../../test/small-writer.ts';
import type { OrderId } from '../model/order.ts';
import type { LeaseNamespace, Reservation } from '../model/reservation.ts';
import { expiry } from './expiry.ts';

const minute = 60_000;

function world(changed: Partial<Reservation>) {
  const clock = new FakeClock();
  const book = new SmallBook([node('n1')]);
  const reservation = promiseIn(book, clock, changed);
  const { reservations: writer, deleted } = new SmallWriter(book);
  const namespaces = {
    found: undefined as LeaseNamespace | 'ambiguous' | undefined,
    isSilent: false,
    leaseOf: async (order: OrderId) => {
      expect(order).toEqual(reservation.order);
      if (namespaces.isSilent) throw new StatusError('unavailable', 'no answer');
      return namespaces.found;
    },
  };
  const reconciler = expiry(book, clock, namespaces, async () => writer);
  const look = () => reconciler.reconcile('a-1-1-1', new AbortController().signal);
  return { clock, book, namespaces, writer, reservation, deleted, look };
}

describe('the time of a pending reservation', () => {
  it('is looked at by the wall clock, which may be set', async () => {
    const { clock, deleted, look } = world({});
    expect(await look()).toEqual({ kind: 'again', afterMs: minute });
    await clock.advance(4.5 * minute);
    expect(await look()).toEqual({ kind: 'again', afterMs: minute / 2 });
    clock.skewWall(minute);
    expect(await look()).toEqual({ kind: 'done' });
    expect(deleted).toEqual(['a-1-1-1']);
    expect(await look()).toEqual({ kind: 'done' });
  });

  it.each([
    ['an active one', { phase: 'active', expiresAt: undefined }],
    ['an attempt, which is deleted by other rules', { isConfirmed: false }],
    ['one without an end', { expiresAt: undefined }],
  ] as const)('is not that of %s', async (_, changed) => {
    const { clock, deleted, look } = world(changed);
    await clock.advance(10 * minute);
    expect([await look(), deleted]).toEqual([{ kind: 'done' }, []]);
  });

  it('does not end for one that became active before its turn', async () => {
    const { clock, book, reservation, namespaces, writer, deleted } = world({});
    await clock.advance(10 * minute);
    const late = expiry(book, clock, namespaces, async () => ({
      ...writer,
      attend: async (_name, work) => work({ ...reservation, phase: 'active', expiresAt: undefined }),
    }));
    await late.reconcile(reservation.name, new AbortController().signal);
    expect(deleted).toEqual([]);
  });

  it('does not end where there is a lease that nobody recorded while nobody led', async () => {
    const { clock, book, namespaces, deleted, look } = world({});
    await clock.advance(10 * minute);
    namespaces.found = { name: 'lease', uid: 'n' };
    expect([await look(), deleted]).toEqual([{ kind: 'done' }, []]);
    expect(book.reservation('a-1-1-1')).toMatchObject({ phase: 'active', leaseNamespace: { name: 'lease', uid: 'n' } });
  });

  it('is not over before it is known that there is no lease', async () => {
    const { clock, namespaces, deleted, look } = world({});
    await clock.advance(10 * minute);
    namespaces.isSilent = true;
    await expect(look()).rejects.toThrow('no answer');
    namespaces.isSilent = false;
    namespaces.found = 'ambiguous';
    expect([await look(), deleted]).toEqual([{ kind: 'again', afterMs: 5000 }, []]);
    namespaces.found = undefined;
    expect([await look(), deleted]).toEqual([{ kind: 'done' }, ['a-1-1-1']]);
  });
});
