import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { node } from '../../test/sample-facts.ts';
import { SmallBook } from '../../test/small-book.ts';
import { promiseIn, SmallWriter } from '../../test/small-writer.ts';
import type { Reservation } from '../model/reservation.ts';
import { activation } from './activation.ts';

const order = { owner: 'a', dseq: 1n, gseq: 1, oseq: 1 };
const namespace = (name: string) => ({ order, name, uid: `${name}-uid` });
const recordedA = { phase: 'active', leaseNamespace: { name: 'a', uid: 'a-uid' } } as const;

function world(changed: Partial<Reservation> = {}) {
  const clock = new FakeClock();
  const book = new SmallBook([node('n1')]);
  const { name } = promiseIn(book, clock, changed);
  const writer = new SmallWriter(book);
  type Found = ReturnType<typeof namespace>[];
  const namespaces = {
    isKnown: true,
    found: [] as Found,
    /** What the server has; what was found unless given. */
    stored: undefined as Found | undefined,
    of: () => namespaces.found,
    leaseOf: async () => {
      const [first, ...others] = namespaces.stored ?? namespaces.found;
      return others.length > 0 ? 'ambiguous' : first;
    },
  };
  const reconciler = activation({ book, namespaces, clock, writer: async () => writer });
  const look = async (...found: string[]) => {
    namespaces.found = found.map(namespace);
    const outcome = await reconciler.reconcile(name, new AbortController().signal);
    const { phase, leaseNamespace, conditions = [] } = book.reservation(name) ?? {};
    return [outcome.kind, phase, leaseNamespace?.name, ...conditions.map(({ type }) => type)];
  };
  return { clock, book, namespaces, writer, name, look };
}

describe('the namespace of a lease', () => {
  it('is recorded once, and so is the one that takes its place', async () => {
    const { look, clock, writer } = world();
    expect(await look()).toEqual(['done', 'pending', undefined]);
    expect(await look('a')).toEqual(['done', 'active', 'a']);
    expect(await look('a')).toEqual(['done', 'active', 'a']);
    expect(await look('b')).toEqual(['again', 'active', 'a']);
    await clock.advance(10_000);
    expect(await look('b')).toEqual(['done', 'active', 'b']);
    expect(writer.writes).toBe(2);
  });

  it('is recorded of a lease that was there before it had one', async () => {
    const { look, writer } = world({ phase: 'active', expiresAt: undefined });
    expect(await look()).toEqual(['done', 'active', undefined]);
    expect(await look('a')).toEqual(['done', 'active', 'a']);
    expect(writer.writes).toBe(1);
  });

  it('is never taken from labels where a bid was made: whoever may label a namespace would keep every bid from being given back', async () => {
    const bid = { denom: 'uakt', amount: '1' };
    const open = world({ bid });
    expect(await open.look('a')).toEqual(['done', 'pending', undefined]);
    const won = world({ ...recordedA, bid });
    await won.look();
    await won.clock.advance(10_000);
    expect(await won.look('stranger')).toEqual(['done', 'active', 'a', 'LeaseNamespaceGone']);
    expect(won.book.reservation(won.name)?.conditions?.[0]?.message).toContain('close the lease at the market to end it');
    expect([open.writer.writes, won.book.reservation(won.name)?.leaseNamespace?.name]).toEqual([0, 'a']);
  });

  it('is not replaced before it is known to be gone for a while', async () => {
    const { look, clock, namespaces } = world(recordedA);
    namespaces.isKnown = false;
    expect(await look('stranger')).toEqual(['again', 'active', 'a']);
    await clock.advance(10_000);
    expect(await look('stranger')).toEqual(['again', 'active', 'a']);
    expect(await look('stranger', 'a')).toEqual(['done', 'active', 'a', 'LeaseNamespaceAmbiguous']);
    namespaces.isKnown = true;
    expect(await look('stranger')).toEqual(['again', 'active', 'a']);
  });

  it('is neither recorded nor replaced by what is followed alone, which may be behind', async () => {
    const { look, clock, namespaces } = world();
    namespaces.stored = [namespace('a'), namespace('stranger')];
    expect(await look('stranger')).toEqual(['again', 'pending', undefined]);
    namespaces.stored = undefined;
    expect(await look('a')).toEqual(['done', 'active', 'a']);
    namespaces.stored = [namespace('a'), namespace('stranger')];
    expect(await look('stranger')).toEqual(['again', 'active', 'a']);
    await clock.advance(10_000);
    expect(await look('stranger')).toEqual(['again', 'active', 'a']);
    namespaces.stored = undefined;
    expect(await look('stranger')).toEqual(['done', 'active', 'stranger']);
  });

  it('is not recorded while several claim to be it, which is said', async () => {
    const { look, book, name } = world();
    expect(await look('a', 'b', 'c')).toEqual(['done', 'pending', undefined, 'LeaseNamespaceAmbiguous']);
    expect(book.reservation(name)?.conditions?.[0]?.message).toMatch(
      /^namespaces a and b \(and 1 more\) have the labels of its lease, and none of them is recorded/,
    );
    expect(await look('b')).toEqual(['done', 'active', 'b']);
    // Nobody takes the place of one that is recorded already.
    expect(await look('a', 'b')).toEqual(['done', 'active', 'b', 'LeaseNamespaceAmbiguous']);
    expect(book.reservation(name)?.conditions?.[0]?.message).toMatch(/b is the recorded one/);
    expect(await look('b')).toEqual(['done', 'active', 'b']);
  });

  it('is said to be gone when it does not come within a while, and is known not to be there', async () => {
    const { look, clock, namespaces, book, name } = world(recordedA);
    expect(await look()).toEqual(['again', 'active', 'a']);
    await clock.advance(9_999);
    expect(await look()).toEqual(['again', 'active', 'a']);
    namespaces.isKnown = false;
    await clock.advance(1);
    expect(await look()).toEqual(['again', 'active', 'a']);
    namespaces.isKnown = true;
    expect(await look()).toEqual(['done', 'active', 'a', 'LeaseNamespaceGone']);
    expect(book.reservation(name)?.conditions?.[0]?.message).toMatch(/^its namespace a is gone: unreserve it if the lease has ended/);
    expect(await look()).toEqual(['done', 'active', 'a', 'LeaseNamespaceGone']);
    expect(await look('a')).toEqual(['done', 'active', 'a']);
    expect(await look()).toEqual(['again', 'active', 'a']);
    await clock.advance(10_000);
    expect(await look()).toEqual(['done', 'active', 'a', 'LeaseNamespaceGone']);
    expect(await look('b')).toEqual(['done', 'active', 'b']);
  });

  it('is looked for again while nobody attends to the reservation', async () => {
    const { look, writer } = world();
    Object.assign(writer.reservations, { attend: async () => {} });
    expect(await look('a')).toEqual(['again', 'pending', undefined]);
  });

  it('is none of an attempt', async () => {
    const { look } = world({ isConfirmed: false });
    expect(await look('a')).toEqual(['done', 'pending', undefined]);
  });
});
