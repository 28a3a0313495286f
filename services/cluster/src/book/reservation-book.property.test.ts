import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heldBy, overCommitted, roomsOf } from '../../test/book-model.ts';
import { Sequence } from '../../test/book-sequence.ts';
import { levelsOf, type Step, sequences, storageSequences } from '../../test/book-steps.ts';
import { undercounted } from '../../test/unit-assignments.ts';
import type { Reservation } from '../model/reservation.ts';
import { availability } from './availability.ts';
import { conditionsOf } from './conditions.ts';
import type { ReservationBook } from './reservation-book.ts';
import { amountsOf } from './reservation-totals.ts';

const isSoak = process.env['QUARTERMASTER_TEST_SOAK'] === 'true';
/** A failure prints its seed and path: given here, they run it again. BOOK_SEED repeats a whole run. */
const runs = (numRuns: number): { readonly numRuns: number; readonly seed?: number } => {
  const seed = process.env['BOOK_SEED'];
  return seed === undefined ? { numRuns } : { numRuns, seed: Number(seed) };
};

/** As the model names rooms. */
function roomsIn({ stock }: ReservationBook): Map<string, number> {
  const rooms = new Map<string, number>();
  const storage = ['disk', 'flash', 'local'].flatMap((name) => stock.storage.get(name) ?? []);
  for (const node of stock.nodes) {
    if (node.facts === undefined) continue;
    const { name, room, offers } = node;
    rooms.set(`${name} cpu`, room.cpu);
    rooms.set(`${name} memory`, room.memory);
    rooms.set(`${name} ephemeral`, room.ephemeral);
    rooms.set(`${name} pods`, room.pods);
    for (const [at, { kind }] of offers.entries())
      rooms.set(`${name} ${kind.resource}${kind.group === undefined ? '' : `=${kind.group}`}`, room.cards[at] ?? 0);
    for (const facts of storage) {
      const left = stock.storage.localRoom(facts, name, node.heldOfClass, node.heldEphemeral);
      if (left !== undefined) rooms.set(`${name} storage/${facts.name}`, left);
    }
  }
  for (const facts of storage) {
    const left = stock.storage.room(facts);
    if (left !== undefined) rooms.set(`storage/${facts.name}`, left);
  }
  rooms.set('ports', stock.freePorts);
  if (stock.freeIps !== 'unknown') rooms.set('ips', stock.freeIps);
  return rooms;
}

const textOf = (rooms: ReadonlyMap<string, number>): string =>
  [...rooms]
    .map(([place, room]) => `${place}: ${room}`)
    .toSorted()
    .join('\n');

/** Everything that is said of reservations, but for since when. */
const sayings = (book: ReservationBook): unknown => ({
  availability: { ...availability(book), storage: undefined },
  storage: availability(book).storage.toSorted((a, b) => (a.storageClass < b.storageClass ? -1 : 1)),
  each: [...book.entries]
    .map((entry) => ({ name: entry.reservation.name, ...amountsOf(entry), pods: entry.use.pods.length }))
    .toSorted(byName),
  conditions: book.reservations().map(({ name }) => conditionsOf(book, name).map(({ since: _, ...condition }) => condition)),
});

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

const heldIn = (sequence: Sequence, reservation: Reservation): ReturnType<typeof heldBy> =>
  heldBy(sequence, reservation, sequence.book.entry(reservation.name)?.net.waiting);

/** Answers who is over-committed now; `before` has those who were before the last step. */
function check(sequence: Sequence, before: readonly string[]): readonly string[] {
  const { book, isTold, placed } = sequence;
  const held = [...sequence.reservations.values()].flatMap((reservation) => heldIn(sequence, reservation));
  const [said, rooms] = [roomsIn(book), roomsOf(sequence, held)];
  // Volumes of which nobody tells may have what is never sold.
  const over = overCommitted(sequence, held, isTold ? rooms : roomsOf(sequence, held, {}));
  if (isTold && textOf(said) !== textOf(rooms)) expect(textOf(said)).toBe(textOf(rooms));
  if (isTold && book.places.overCommitted.join() !== over.join()) expect(book.places.overCommitted).toEqual(over);
  // Whatever is not told, never more is for sale than there is.
  if ([...said].some(([place, room]) => room > Math.max(rooms.get(place) ?? 0, 0))) expect(textOf(said)).toBe(textOf(rooms));
  // What was promised just now was there, and nobody else was promised it. No step that promises something changes what is told.
  if (placed !== undefined) expect(over.filter((name) => name === placed || !before.includes(name))).toEqual([]);
  return over;
}

function checkUnits(sequence: Sequence): void {
  const { book, reservations, pods } = sequence;
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
  for (const reservation of reservations.values()) {
    const { name, leaseNamespace } = reservation;
    const own = [...pods.values()].filter(({ namespaceUid }) => namespaceUid !== undefined && namespaceUid === leaseNamespace?.uid);
    const running = sum(own.map(({ cpuMillis }) => cpuMillis));
    const held = sum(heldIn(sequence, reservation).map(({ resource, amount }) => (resource === 'cpu' ? amount : 0)));
    const entry = book.entry(name);
    expect(entry && amountsOf(entry).held.cpuMillis).toBe(held);
    expect(entry && amountsOf(entry).allocated.cpuMillis).toBe(running);
    expect(undercounted(reservation, own, entry?.net.waiting ?? [])).toBeUndefined();
  }
}

/** In how many sequences there was something to test. */
class Tally {
  sequences = 0;
  promised = 0;
  refusedAsStale = 0;
  expired = 0;
  ownPods = 0;
  ownClaims = 0;

  add({ book, decisions, expired }: Sequence): void {
    this.sequences += 1;
    if (decisions.filter(({ kind }) => kind === 'plan').length > 1) this.promised += 1;
    const isStale = ({ code }: { readonly code: string }): boolean => code === 'InventoryStale';
    if (decisions.some((decision) => decision.kind === 'refused' && decision.reasons.some(isStale))) this.refusedAsStale += 1;
    if (expired > 0) this.expired += 1;
    const uses = [...book.entries].map(({ use }) => use);
    if (uses.some(({ pods }) => pods.length > 0)) this.ownPods += 1;
    if (uses.some(({ claims }) => claims.length > 0)) this.ownClaims += 1;
  }

  /** What too few sequences came to. */
  scarce(): readonly string[] {
    const { sequences: all, ...counts } = this;
    const least = { promised: 0.9, refusedAsStale: 0.05, expired: 0.2, ownPods: 0.12, ownClaims: 0.04 };
    return Object.entries(least).flatMap(([what, share]) => (counts[what as keyof typeof least] < all * share ? what : []));
  }
}

describe('a book', () => {
  it('says after each of many changes what adding everything up anew says, and after a restart, and when all is given back', {
    timeout: 300_000,
  }, () => {
    const tally = new Tally();
    fc.assert(
      fc.property(sequences, (steps) => {
        const sequence = new Sequence({}, levelsOf(steps));
        const before = textOf(roomsIn(sequence.book));
        const sold = JSON.stringify(availability(sequence.book));
        let over: readonly string[] = [];
        for (const step of steps) {
          sequence.do(step);
          over = check(sequence, over);
        }
        checkUnits(sequence);
        const [said, again] = [sayings(sequence.book), sayings(sequence.restarted())];
        tally.add(sequence);
        if (sequence.isTold && JSON.stringify(said) !== JSON.stringify(again)) expect(said).toEqual(again);
        sequence.undo();
        check(sequence, over);
        if (steps.some(({ kind }) => changesNodes.includes(kind))) return;
        if (textOf(roomsIn(sequence.book)) !== before) expect(textOf(roomsIn(sequence.book))).toBe(before);
        if (JSON.stringify(availability(sequence.book)) !== sold) expect(JSON.stringify(availability(sequence.book))).toBe(sold);
      }),
      runs(isSoak ? 10_000 : 3_000),
    );
    expect(tally.scarce()).toEqual([]);
  });

  it('never sells beside what is promised of classes that nobody tells of, whoever has just started', { timeout: 300_000 }, () => {
    let [sold, restarted] = [0, 0];
    const numRuns = isSoak ? 3_000 : 1_000;
    fc.assert(
      fc.property(storageSequences, (steps) => {
        const sequence = new Sequence();
        let over: readonly string[] = [];
        for (const step of steps) {
          sequence.do(step);
          over = check(sequence, over);
        }
        sold += sequence.soldInDoubt > 0 ? 1 : 0;
        restarted += sequence.restartedInDoubt > 0 ? 1 : 0;
      }),
      runs(numRuns),
    );
    expect([sold > numRuns / 2, restarted > numRuns / 2]).toEqual([true, true]);
  });

  it('accepts the same whatever nodes are called and in whichever order they come', () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const kinds = (sequence: Sequence): string[] => {
          for (const step of steps) sequence.do(step);
          return sequence.decisions.map((decision) => (decision.kind === 'plan' ? 'plan' : decision.why));
        };
        expect(kinds(new Sequence({ nameOf: (at) => ['zeta', 'mu', 'alpha', 'pi'][at] ?? '', order: [2, 0, 1] }))).toEqual(
          kinds(new Sequence()),
        );
      }),
      runs(isSoak ? 1_000 : 300),
    );
  });
});

const changesNodes: readonly Step['kind'][] = ['node', 'remove-node', 'hold-back', 'class', 'unknown-class', 'gone-class'];
