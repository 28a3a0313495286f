import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptTotal, type TotalMark } from './kept-total.ts';

/** A database of a few objects whose snapshots are the numbers of its writes. */
class World {
  readonly #states: ReadonlySet<string>[] = [new Set()];

  get now(): number {
    return this.#states.length - 1;
  }

  flip(id: string): void {
    const next = new Set(this.#states[this.now]);
    if (!next.delete(id)) next.add(id);
    this.#states.push(next);
  }

  matchingAt(moment: number): ReadonlySet<string> {
    return this.#states[moment] ?? new Set();
  }

  /** As a list at that moment is told; what changed back and forth is named as well. */
  since(mark: TotalMark, moment: number) {
    const touched = new Set<string>();
    for (let at = Number(mark.snapshot); at < moment; at += 1) {
      const [before, after] = [this.matchingAt(at), this.matchingAt(at + 1)];
      for (const id of [...before, ...after]) if (before.has(id) !== after.has(id)) touched.add(id);
    }
    const changed = [...touched];
    return { snapshot: String(moment), changed, matching: changed.filter((id) => this.matchingAt(moment).has(id)) };
  }
}

describe('a kept total', () => {
  it('is the total of its moment for every list, however many run at a time and in whatever order they end', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('write'), id: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ kind: fc.constantFrom('begin', 'look', 'end'), place: fc.nat(5) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = new World();
        const kept = new KeptTotal('0', []);
        const running = new Map<number, { readonly mark: TotalMark; moment?: number }>();
        for (const each of steps) {
          if ('id' in each) {
            world.flip(each.id);
            continue;
          }
          const list = running.get(each.place);
          if (each.kind === 'begin') running.set(each.place, { mark: kept.mark() });
          else if (each.kind === 'look' && list !== undefined) list.moment = world.now;
          else if (each.kind === 'end' && list?.moment !== undefined) {
            running.delete(each.place);
            expect(kept.carry(list.mark, world.since(list.mark, list.moment))).toBe(world.matchingAt(list.moment).size);
          }
        }
      }),
    );
  });

  it('does not tell a total for which it has forgotten too much', () => {
    const kept = new KeptTotal('0', []);
    const mark = kept.mark();
    const many = Array.from({ length: 1_001 }, (_, index) => `id-${index}`);
    expect(kept.carry(mark, { snapshot: '1', changed: many, matching: many })).toBe(1_001);
    expect(kept.carry(mark, { snapshot: '2', changed: ['x'], matching: [] })).toBeUndefined();
    expect(kept.carry(mark, { snapshot: '2', changed: [], matching: [] })).toBe(0);
    expect(kept.carry(kept.mark(), { snapshot: '2', changed: ['id-0'], matching: [] })).toBe(1_000);
  });
});
