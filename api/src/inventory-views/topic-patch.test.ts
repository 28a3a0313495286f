import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TopicState } from './topic.ts';
import { applyTopicPatch, diffTopic } from './topic-patch.ts';

interface Head {
  readonly count: number;
  readonly note?: string;
  readonly parts: readonly { readonly name: string }[];
}
interface Row {
  readonly id: string;
  readonly pods: number;
  readonly rack?: string;
  readonly gpus: Readonly<Record<string, number>>;
}

const amount = fc.integer({ min: 0, max: 3 });
const id = fc.constantFrom('a', 'b', 'c', 'd', 'constructor', '__proto__');
const row: fc.Arbitrary<Row> = fc.record(
  { id, pods: amount, rack: fc.constantFrom('r1', 'r2'), gpus: fc.dictionary(fc.constantFrom('h100', 'a100'), amount) },
  { requiredKeys: ['id', 'pods', 'gpus'] },
);
const head: fc.Arbitrary<Head> = fc.record(
  { count: amount, note: fc.constantFrom('x', 'y'), parts: fc.array(fc.record({ name: id }), { maxLength: 2 }) },
  { requiredKeys: ['count', 'parts'] },
);
const state: fc.Arbitrary<TopicState<Head, Row>> = fc.record({
  head,
  rows: fc.uniqueArray(row, { selector: (each) => each.id, maxLength: 5 }),
});
const keyOf = (each: Row): string => each.id;
const sorted = ({ head: facts, rows }: TopicState<Head, Row>): unknown => ({
  head: facts,
  rows: rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
});

describe('the patch between two states of a topic', () => {
  it('turns any state into any other, also after a trip through JSON', () => {
    fc.assert(
      fc.property(state, state, (before, after) => {
        const patch = diffTopic(before, after, keyOf);
        const sent = JSON.parse(JSON.stringify(patch ?? {})) as NonNullable<typeof patch>;
        expect(sorted(applyTopicPatch(before, sent, keyOf))).toEqual(sorted(after));
      }),
    );
  });

  it('is nothing between equal states, whoever made them', () => {
    fc.assert(
      fc.property(state, (each) => {
        expect(diffTopic(each, structuredClone(each), keyOf)).toBeUndefined();
      }),
    );
  });

  it('holds only the fields that changed, and null for one that is gone', () => {
    const before = { head: { count: 1, parts: [] }, rows: [{ id: 'a', pods: 1, rack: 'r1', gpus: { h100: 8 } }] };
    const after = { head: { count: 2, parts: [] }, rows: [{ id: 'a', pods: 2, gpus: { h100: 8 } }] };
    expect(diffTopic<Head, Row>(before, after, keyOf)).toEqual({ head: { count: 2 }, changed: [['a', { pods: 2, rack: null }]] });
  });

  it('keeps the identity of rows that did not change, so that they are not drawn again', () => {
    const [steady, moving] = ['a', 'b'].map((name): Row => ({ id: name, pods: 0, gpus: {} }));
    if (steady === undefined || moving === undefined) throw new Error('two rows were made');
    const before = { head: { count: 1, parts: [] }, rows: [steady, moving] };
    const after = applyTopicPatch(before, { changed: [['b', { pods: 5 }]] }, keyOf);
    expect(after.rows[0]).toBe(steady);
    expect(after.rows[1]).toEqual({ ...moving, pods: 5 });
    expect(applyTopicPatch(after, { head: { count: 3 } }, keyOf).rows).toBe(after.rows);
  });
});
