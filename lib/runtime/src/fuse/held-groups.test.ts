import { describe, expect, it } from 'vitest';
import { fuseStateText, parseFuseState } from './fuse-store.ts';
import { approveRemoval, emptyFuse, type FuseLook, type FuseState, judgeRemovals, maxBatch, type Removable } from './removal-fuse.ts';

const windowMs = 1_000;
const limits = { windowMs, maxRemovals: 3, maxShare: 0.1, untilApproved: true };
const objects = (count: number, prefix = 'n'): Removable[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}`, uid: `uid-${prefix}${index}` }));
const namesOf = (list: readonly Removable[] | undefined): string[] => (list ?? []).map(({ name }) => name);

describe('the removal fuse, where objects are of groups', () => {
  const of = (group: string, count: number) => objects(count, group).map((each) => ({ ...each, group }));
  const judged = (state: FuseState, look: Partial<FuseLook>) =>
    judgeRemovals(state, { due: [], pending: [], total: 20, groups: 10, now: 0, ...look }, limits, 'leases');

  it('holds what one has where that is too many by itself, and lets the others go, later ones too', () => {
    const [mallory, bob] = [of('mallory', 4), of('bob', 2)];
    const first = judged(emptyFuse, { due: [...mallory, ...bob] });
    expect([namesOf(first.remove), namesOf(first.state.waiting?.objects)]).toEqual([namesOf(bob), namesOf(mallory)]);
    expect(first.state.removals).toMatchObject([{ count: 2 }]);
    const stored = parseFuseState(fuseStateText(first.state), 'leases');
    // Fewer are left of it, and it gets one more: it waits on, whoever comes beside it.
    const later = judged(stored, { due: [...mallory.slice(2), ...of('carol', 1)], now: windowMs });
    expect([namesOf(later.remove), namesOf(later.state.waiting?.objects)]).toEqual([['carol0'], namesOf(mallory.slice(2))]);
    const approved = approveRemoval(later.state, later.state.waiting?.id ?? '', 'ann', windowMs);
    expect(namesOf(judged(approved, { due: [...mallory.slice(2), ...of('dave', 1)], now: 2 * windowMs }).remove).toSorted()).toEqual([
      'dave0',
      ...namesOf(mallory.slice(2)),
    ]);
  });

  it.each([
    ['four of them would have to wait by themselves', [...of('a', 4), ...of('b', 4), ...of('c', 4), ...of('d', 4), ...of('e', 1)], 10],
    ['it hits more than half of them', [...of('a', 4), ...of('b', 2)], 3],
    ['nobody has nearly all of it', [...of('a', 1), ...of('b', 1), ...of('c', 1), ...of('d', 1), ...of('e', 1)], 20],
    ['nobody says how many there are', [...of('a', 4), ...of('b', 2)], undefined],
    ['some are of none', [...objects(4).map((each) => ({ ...each, group: '' })), ...of('b', 2)], 10],
  ])('holds all of them where %s, and what is held together stays so', (_where, due, groups) => {
    const { state, remove } = judged(emptyFuse, { due, groups });
    expect([remove, state.waiting?.objects.length]).toEqual([[], due.length]);
    const left = [...due.slice(0, 1), ...due.slice(-1)];
    const next = judged(state, { due: [...left, ...of('z', 1)], now: 5 * windowMs, groups: 5 });
    expect([next.remove, namesOf(next.state.waiting?.objects).toSorted()]).toEqual([[], [...namesOf(left), 'z0'].toSorted()]);
  });

  it('holds two or three that have too many, and nobody else', () => {
    const crowds = [...of('a', 4), ...of('b', 4), ...of('c', 4)];
    const first = judged(emptyFuse, { due: [...crowds.slice(0, 8), ...of('d', 1)] });
    expect([namesOf(first.remove), namesOf(first.state.waiting?.objects)]).toEqual([['d0'], namesOf(crowds.slice(0, 8))]);
    const second = judged(first.state, { due: [...crowds, ...of('e', 1)], now: windowMs });
    expect([namesOf(second.remove), namesOf(second.state.waiting?.objects)]).toEqual([['e0'], namesOf(crowds)]);
    // Held together when it came, and still of few.
    const third = judged(judged(emptyFuse, { due: crowds }).state, { due: [...crowds, ...of('f', 1)] });
    expect([namesOf(third.remove), namesOf(third.state.waiting?.objects)]).toEqual([['f0'], namesOf(crowds)]);
  });

  it('does not hold for good who waited for room while another filled the window and wanted more', () => {
    const filled = judged(emptyFuse, { due: of('a', 3) });
    const bob = of('b', 1);
    const waits = judged(filled.state, { due: bob, now: 1 });
    expect([namesOf(filled.remove), waits.remove]).toEqual([['a0', 'a1', 'a2'], []]);
    const more = of('a', 6).slice(3);
    const held = judged(waits.state, { due: [...more, ...bob], now: 2 });
    expect([held.remove, namesOf(held.state.waiting?.objects)]).toEqual([[], namesOf(more)]);
    expect(held.state.waiting?.reason).toContain('4 of 20 are due');
    const later = judged(held.state, { due: [...more, ...bob, ...of('c', 1)], now: windowMs });
    expect([namesOf(later.remove), namesOf(later.state.waiting?.objects)]).toEqual([['b0', 'c0'], namesOf(more)]);
  });

  it('goes on holding few of one that are left, however many others come that are few together', () => {
    const { state } = judged(emptyFuse, { due: [...of('a', 4), ...of('b', 1)] });
    const left = of('a', 1);
    const { remove, state: next } = judged(state, { due: [...left, ...of('c', 1), ...of('d', 1), ...of('e', 1)], now: windowMs });
    expect([namesOf(remove), namesOf(next.waiting?.objects)]).toEqual([['c0', 'd0', 'e0'], namesOf(left)]);
  });

  it('goes on holding the rest of a batch that had no room for all of them, when that is approved', () => {
    const due = of('a', maxBatch + 2);
    const { waiting } = judged(emptyFuse, { due, total: 5_000 }).state;
    const approved = approveRemoval({ removals: [], waiting }, waiting?.id ?? '', 'ann', 0);
    const { remove, state } = judged(parseFuseState(fuseStateText(approved), 'leases'), { due, total: 5_000 });
    expect([remove.length, state.waiting?.objects.length, state.waiting?.isTooMany]).toEqual([maxBatch, 2, true]);
  });

  it('lets who wants few go before who wants many', () => {
    const due = [...of('a', 9), ...of('b', 3), ...of('c', 2), ...of('d', 1)];
    expect(namesOf(judged(emptyFuse, { due, total: 100 }).remove)).toEqual(['d0', 'c0', 'c1']);
  });

  it('lets the others go few at a time beside it, and never makes what waits for room wait for a person', () => {
    const crowd = of('a', 4);
    const first = judged(emptyFuse, { due: [...crowd, ...of('b', 3)] });
    expect(namesOf(first.remove)).toEqual(namesOf(of('b', 3)));
    const second = judged(first.state, { due: [...crowd, ...of('c', 2)], now: 1 });
    expect([second.remove, namesOf(second.state.waiting?.objects)]).toEqual([[], namesOf(crowd)]);
    const third = judged(second.state, { due: [...crowd, ...of('c', 2), ...of('d', 1)], now: windowMs });
    expect(namesOf(third.remove)).toEqual(['d0', 'c0', 'c1']);
    // A share of very many does not go beside what waits.
    const many = { due: [...of('a', 101), ...of('b', 50)], total: 1_000 };
    expect(judged(emptyFuse, many).remove).toHaveLength(3);
  });
});
