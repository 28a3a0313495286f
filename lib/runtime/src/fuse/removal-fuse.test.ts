import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuseStateText, parseFuseState } from './fuse-store.ts';
import {
  approveRemoval,
  emptyFuse,
  type FuseLook,
  type FuseState,
  judgeRemovals,
  maxBatch,
  type Removable,
  recordRemovals,
  takeOverFuse,
} from './removal-fuse.ts';

const windowMs = 1_000;
const limits = { windowMs, maxRemovals: 3, maxShare: 0.1 };
const objects = (count: number, prefix = 'n'): Removable[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}`, uid: `uid-${prefix}${index}` }));
const namesOf = (list: readonly Removable[] | undefined): string[] => (list ?? []).map(({ name }) => name);
const judge = (state: FuseState, look: Partial<FuseLook>) =>
  judgeRemovals(state, { due: [], pending: [], total: 20, now: 0, ...look }, limits, 'hardware');

describe('the removal fuse', () => {
  it('lets a few go, and counts them before they are removed', () => {
    const { state, remove } = judge(emptyFuse, { due: objects(3), now: 5 });
    expect(remove).toEqual(objects(3));
    expect(state).toEqual({ removals: [{ at: 5, count: 3, uids: ['uid-n0', 'uid-n1', 'uid-n2'] }] });
    expect(recordRemovals(state, { at: 5, removed: remove, kept: [] })).toEqual({ removals: [{ at: 5, count: 3, uids: [] }] });
  });

  it('holds all of them when they are too many, also when they come one after another', () => {
    const { state, remove } = judge(emptyFuse, { due: objects(4) });
    expect(remove).toEqual([]);
    expect(state.waiting).toMatchObject({ since: 0, objects: objects(4), more: 0 });
    expect(state.waiting?.reason).toBe('4 of 20 are due, and at most 3 may be removed within 1 s without approval');
    const removed = judge(emptyFuse, { due: objects(2) }).state;
    const next = judge(removed, { due: objects(2, 'm'), now: windowMs - 1 });
    expect([next.remove, next.state.waiting?.reason]).toEqual([
      [],
      expect.stringContaining('2 of 20 are due after 2 that were removed already'),
    ]);
    expect(judge(next.state, { due: objects(2, 'm'), now: windowMs }).remove).toEqual(objects(2, 'm'));
  });

  it('lets a share of many go', () => {
    expect(judge(emptyFuse, { due: objects(100), total: 1_000 }).remove).toHaveLength(100);
    expect(judge(emptyFuse, { due: objects(101), total: 1_000 }).remove).toEqual([]);
  });

  it('removes what a person approved, and nothing that became due later', () => {
    const held = judge(emptyFuse, { due: objects(4) }).state;
    const approved = approveRemoval(held, held.waiting?.id ?? '', 'ann', 7);
    expect(approved).toEqual({ removals: [], approval: { id: held.waiting?.id, by: 'ann', at: 7, objects: objects(4) } });
    const { state, remove } = judge(approved, { due: [...objects(4), ...objects(4, 'm')], now: 8 });
    expect([namesOf(remove), namesOf(state.waiting?.objects)]).toEqual([namesOf(objects(4)), namesOf(objects(4, 'm'))]);
    const recorded = recordRemovals(state, { at: 8, removed: remove.slice(1), kept: remove.slice(0, 1) });
    expect([recorded.removals, namesOf(recorded.approval?.objects)]).toEqual([[], ['n0']]);
    expect(recordRemovals(recorded, { at: 9, removed: remove, kept: [] }).approval).toBeUndefined();
  });

  it('takes the same approval twice, and refuses one of what is not waiting as it was shown', () => {
    const held = judge(emptyFuse, { due: objects(4) }).state;
    const id = held.waiting?.id ?? '';
    const approved = approveRemoval(held, id, 'ann', 1);
    expect(approveRemoval(approved, id, 'bob', 2)).toBe(approved);
    const grown = judge(held, { due: objects(5), now: 1 }).state;
    expect(() => approveRemoval(grown, id, 'ann', 1)).toThrow(`removal ${id} has been replaced by ${grown.waiting?.id}`);
    expect(() => approveRemoval(emptyFuse, id, 'ann', 1)).toThrow('is not waiting');
  });

  it('keeps the id of a batch that shrinks, and gives another to the same objects later', () => {
    const held = judge(emptyFuse, { due: objects(5) }).state;
    const shrunk = judge(held, { due: objects(4), now: 1 }).state;
    expect(shrunk.waiting).toEqual({ ...held.waiting, objects: objects(4) });
    const again = judge(shrunk, { due: objects(5), now: 2 }).state;
    expect(again.waiting?.id).not.toBe(held.waiting?.id);
    expect(again.waiting?.since).toBe(0);
  });

  describe('that holds what was too many until it is approved', () => {
    const strict = (state: FuseState, look: Partial<FuseLook>) =>
      judgeRemovals(state, { due: [], pending: [], total: 20, now: 0, ...look }, { ...limits, untilApproved: true }, 'leases');
    const held = strict(emptyFuse, { due: objects(5) }).state;

    it('holds it however few are left of it, however many there are beside it, and across a restart', () => {
      const stored = parseFuseState(fuseStateText(held), 'x');
      const shrunk = strict(stored, { due: objects(1), total: 1_000, now: 2 * windowMs });
      expect([shrunk.remove, shrunk.state.waiting]).toEqual([[], { ...held.waiting, objects: objects(1) }]);
      const approved = approveRemoval(shrunk.state, held.waiting?.id ?? '', 'ann', 7);
      expect(strict(approved, { due: objects(1), now: 8 }).remove).toEqual(objects(1));
      expect(strict(held, { due: [] }).state).toEqual(emptyFuse);
    });

    it('lets go what only came too soon after others', () => {
      const removed = strict(emptyFuse, { due: objects(2) }).state;
      const soon = strict(removed, { due: objects(2, 'm'), now: windowMs - 1 });
      expect(soon.remove).toEqual([]);
      expect(strict(soon.state, { due: objects(2, 'm'), now: windowMs }).remove).toEqual(objects(2, 'm'));
    });
  });

  it('goes on waiting while the evidence is gathered anew, and forgets what is wanted again', () => {
    const held = judge(emptyFuse, { due: objects(5) }).state;
    expect(judge(held, { pending: objects(5), now: 1 })).toMatchObject({ state: held, remove: [] });
    const approved = approveRemoval(held, held.waiting?.id ?? '', 'ann', 1);
    expect(judge(approved, { pending: objects(5), now: 2 })).toMatchObject({ state: approved, remove: [] });
    expect(judge(held, {}).state).toEqual(emptyFuse);
    expect(judge(approved, {}).state).toEqual(emptyFuse);
  });

  it('shows no more than fits, and counts the rest', () => {
    const { state } = judge(emptyFuse, { due: objects(maxBatch + 7), total: maxBatch + 7 });
    expect([state.waiting?.objects.length, state.waiting?.more]).toEqual([maxBatch, 7]);
    const longest = objects(maxBatch).map(({ uid }, index) => ({ name: `${index}`.padEnd(253, 'n'), uid: uid.padEnd(36, 'u') }));
    const full = { id: 'x', since: 0, reason: '', objects: longest, more: 0 };
    const twice = { id: 'y', by: 'ann', at: 0, objects: longest };
    const approved = approveRemoval({ removals: [], waiting: full, approval: twice }, 'x', 'ann', 0);
    const { removals } = judge(emptyFuse, { due: longest, total: 20 * maxBatch }).state;
    const [more] = judge({ removals }, { due: objects(10), total: 20 * maxBatch }).state.removals;
    expect([removals[0]?.uids.length, more?.count, more?.uids.length]).toEqual([maxBatch, maxBatch + 10, maxBatch]);
    expect(fuseStateText({ ...approved, waiting: full, removals }).length).toBeLessThan(2 ** 20);
    expect(() => approveRemoval({ ...approved, waiting: { ...full, id: 'z' } }, 'z', 'ann', 0)).toThrow(
      'approved earlier are still to be removed',
    );
  });

  it('gives back what was counted and not removed, and nothing that others removed at the same time', () => {
    const { state, remove } = judge(emptyFuse, { due: objects(2), now: 50 });
    expect(recordRemovals(state, { at: 50, removed: [], kept: remove }).removals).toEqual([]);
    const next = judge(state, { due: objects(1, 'm'), now: 50 });
    expect(recordRemovals(next.state, { at: 50, removed: [], kept: next.remove }).removals).toEqual([
      { at: 50, count: 2, uids: ['uid-n0', 'uid-n1'] },
    ]);
  });

  it('counts once what it tries again, from the last try on', () => {
    const tried = judge(emptyFuse, { due: objects(3) }).state;
    const again = judge(tried, { due: objects(3), now: windowMs - 1 });
    expect([again.remove, [...again.retried]]).toEqual([objects(3), ['uid-n0', 'uid-n1', 'uid-n2']]);
    expect(again.state.removals).toEqual([{ at: windowMs - 1, count: 3, uids: ['uid-n0', 'uid-n1', 'uid-n2'] }]);
    // An earlier try may have removed them, whatever is said to this one.
    const refused = { at: windowMs - 1, removed: [], kept: again.remove, retried: again.retried };
    expect(recordRemovals(again.state, refused)).toEqual(again.state);
    const fourth = judge(again.state, { due: objects(4), now: windowMs });
    expect(fourth.remove).toEqual([]);
    expect(fourth.state.waiting?.reason).toBe('4 of 20 are due, and at most 3 may be removed within 1 s without approval');
  });

  it.each([-(10 ** 9), 10 ** 9])('takes over from a process whose clock differs by %d ms, as if it had removed just now', (skew) => {
    const stored = {
      removals: [
        { at: skew - 400, count: 1, uids: [] },
        { at: skew, count: 2, uids: [] },
      ],
    };
    const taken = takeOverFuse(stored, 100);
    expect(taken.removals).toEqual([
      { at: -300, count: 1, uids: [] },
      { at: 100, count: 2, uids: [] },
    ]);
    expect(judge(taken, { due: objects(1), now: 100 }).remove).toEqual([]);
    expect(judge(taken, { due: objects(1), now: 700 }).remove).toEqual(objects(1));
  });

  it('refuses a state that is damaged, instead of taking it for an empty one', () => {
    for (const text of ['', '{', '{}', '{"removals":[{"at":1,"count":-1}]}'])
      expect(() => parseFuseState(text, 'x')).toThrow('x is damaged');
  });

  const step = fc.record({
    afterMs: fc.nat(700),
    /** What is gone, by number, and of which of them there is no evidence yet. */
    gone: fc.uniqueArray(fc.nat(11)),
    unsure: fc.uniqueArray(fc.nat(11)),
    /** A person looks, and approves what was seen at an earlier look or at this one. */
    approves: fc.option(fc.nat(3), { freq: 3 }),
    /** What the API server says to each removal in turn, and whether it did it: an answer may be lost on its way. */
    answers: fc.array(fc.constantFrom('done', 'refused', 'lost', 'failed'), { maxLength: 4 }),
    /** Killed after the state was stored, with so many removed. */
    killedAfter: fc.option(fc.nat(4), { freq: 4 }),
    /** Of the machine on which the next process leads, where another takes over. */
    clockOffset: fc.option(fc.integer({ min: -5_000, max: 5_000 }), { freq: 3 }),
  });

  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

  /** Looks, approvals and removals as the steps say. Throws when more is removed without an approval than may be, or by an approval what was not shown. */
  function follow(steps: readonly Step[], onWaiting: (distinct: number) => void = () => {}, groups = 0): void {
    let state: FuseState = emptyFuse;
    let now = 0;
    /** What the cache shows: an object is there until the answer to its removal says that it is gone. */
    const left = new Set(objects(12).map(({ uid }) => uid));
    const truth = new Set(left);
    const unapproved: number[] = [];
    /** When each was last tried without an approval. */
    const triedAt = new Map<string, number>();
    const covered = new Set<string>();
    const shown: { readonly id: string; readonly uids: ReadonlySet<string> }[] = [];
    let offset = 0;
    for (const { afterMs, gone, unsure, approves, answers, killedAfter, clockOffset } of steps) {
      now += afterMs;
      offset = clockOffset ?? offset;
      const at = now + offset;
      if (clockOffset !== null) state = takeOverFuse(state, at);
      const isGone = (index: number) => left.has(`uid-n${index}`);
      const of = (index: number) => ({ name: `n${index}`, uid: `uid-n${index}`, ...(groups > 0 && { group: `g${index % groups}` }) });
      const due = gone.filter((index) => isGone(index) && !unsure.includes(index)).map(of);
      const pending = unsure.filter(isGone).map(of);
      // An approval ends when what it covered is wanted again.
      for (const uid of covered) if (![...due, ...pending].some((each) => each.uid === uid)) covered.delete(uid);
      const look = { due, pending, total: 12, groups: 2 * groups, now: at };
      const verdict = judgeRemovals(state, look, { windowMs, maxRemovals: 3, maxShare: 0, untilApproved: groups > 0 }, 'x');
      ({ state } = verdict);
      const windowStart = now - windowMs;
      if (state.waiting !== undefined) {
        const tried = [...triedAt].filter(([, when]) => when > windowStart).map(([uid]) => uid);
        onWaiting(new Set([...tried, ...state.waiting.objects.map(({ uid }) => uid)]).size);
      }
      const removed: Removable[] = [];
      const kept: Removable[] = [];
      for (const [index, object] of verdict.remove.slice(0, killedAfter ?? verdict.remove.length).entries()) {
        const { uid } = object;
        const answer = answers[index] ?? 'done';
        expect(due.map((each) => each.uid)).toContain(uid);
        if (answer === 'failed') continue;
        // What is gone already cannot be removed again, and the cache hears of it.
        const isRemoved = answer !== 'refused' && truth.delete(uid);
        if (isRemoved && !covered.has(uid)) unapproved.push(now);
        if (answer === 'lost') continue;
        (isRemoved ? removed : kept).push(object);
        if (!truth.has(uid)) left.delete(uid);
      }
      for (const { uid } of verdict.remove) if (!covered.has(uid)) triedAt.set(uid, now);
      if (killedAfter === null) {
        state = recordRemovals(state, { at, removed, kept, retried: verdict.retried });
        for (const { uid } of kept) if (!verdict.retried.has(uid)) triedAt.delete(uid);
      }
      expect(unapproved.filter((each) => each > windowStart).length).toBeLessThanOrEqual(3);
      if (state.waiting !== undefined) shown.push({ id: state.waiting.id, uids: new Set(state.waiting.objects.map(({ uid }) => uid)) });
      const seen = approves === null ? undefined : shown.at(-1 - approves);
      if (seen === undefined) continue;
      const before = state;
      try {
        state = approveRemoval(state, seen.id, 'ann', now);
      } catch {
        expect(state).toBe(before);
        continue;
      }
      const more = (state.approval?.objects ?? []).filter(({ uid }) => !(before.approval?.objects ?? []).some((each) => each.uid === uid));
      for (const { uid } of more) {
        expect(seen.uids).toContain(uid);
        covered.add(uid);
      }
    }
  }

  it.each([
    ['without groups', 0],
    ['of four groups', 4],
  ])(
    'never removes more than the limit without an approval, nor by an approval what was not shown, whatever the clocks of leaders say: %s',
    (_, groups) => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 60 }), (steps) => follow(steps, undefined, groups)),
        { numRuns: 500 },
      );
    },
  );

  it('holds nothing because of objects that it counted more than once, whatever fails and whoever is killed', () => {
    // A few at a time and one clock, so that every look counts.
    const few = fc.record({ afterMs: fc.nat(500), gone: fc.uniqueArray(fc.nat(11), { maxLength: 2 }) });
    const oneClock = fc.tuple(step, few).map(([each, fewer]) => ({ ...each, ...fewer, unsure: [], approves: null, clockOffset: null }));
    fc.assert(
      fc.property(fc.array(oneClock, { maxLength: 60 }), (steps) => follow(steps, (distinct) => expect(distinct).toBeGreaterThan(3))),
      { numRuns: 500 },
    );
  });

  it('decides the same whether the process was restarted in between or not', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const run = (reload: (state: FuseState) => FuseState) => {
          let state: FuseState = emptyFuse;
          let now = 0;
          return steps.map(({ afterMs, gone, unsure, approves }) => {
            now += afterMs;
            const of = (index: number): Removable => ({ name: `n${index}`, uid: `uid-n${index}` });
            const look = { due: gone.map(of), pending: unsure.filter((index) => !gone.includes(index)).map(of), total: 12, now };
            const verdict = judgeRemovals(reload(state), look, limits, 'x');
            state = reload(verdict.state);
            if (approves !== null && state.waiting !== undefined) state = approveRemoval(state, state.waiting.id, 'ann', now);
            return [verdict.remove, fuseStateText(state)];
          });
        };
        expect(run((state) => parseFuseState(fuseStateText(state), 'x'))).toEqual(run((state) => state));
      }),
    );
  });
});
