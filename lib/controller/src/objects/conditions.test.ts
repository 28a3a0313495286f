import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Condition,
  conditionTime,
  type DesiredCondition,
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
} from './conditions.ts';

const early = '2026-01-01T00:00:00Z';
const late = '2026-01-01T00:05:00Z';
const ready: DesiredCondition = { type: 'Ready', status: 'True', reason: 'AllGood', message: 'It works.', observedGeneration: 1 };

describe('setCondition', () => {
  it('appends a new type with the time of now and leaves the given list alone', () => {
    const before: readonly Condition[] = Object.freeze([]);
    expect(setCondition(before, ready, early)).toEqual({ conditions: [{ ...ready, lastTransitionTime: early }], changed: true });
  });

  it('returns the same list when nothing changed', () => {
    const { conditions } = setCondition([], ready, early);
    const again = setCondition(conditions, ready, late);
    expect(again.changed).toBe(false);
    expect(again.conditions).toBe(conditions);
  });

  it.each<[string, Partial<DesiredCondition>, string]>([
    ['keeps the time when only the message changes', { message: 'Still works.' }, early],
    ['keeps the time when only the reason changes', { reason: 'Better' }, early],
    ['keeps the time when only the generation changes', { observedGeneration: 2 }, early],
    ['moves the time when the status changes', { status: 'False' }, late],
  ])('%s', (_name, change, time) => {
    const { conditions } = setCondition([], ready, early);
    const after = setCondition(conditions, { ...ready, ...change }, late);
    expect(after).toEqual({ conditions: [{ ...ready, ...change, lastTransitionTime: time }], changed: true });
  });

  it('drops the generation when none is given', () => {
    const { conditions } = setCondition([], ready, early);
    const { observedGeneration: _generation, ...without } = ready;
    expect(setCondition(conditions, without, late).conditions[0]?.observedGeneration).toBeUndefined();
  });

  it('holds one condition per type, is idempotent, and moves a time exactly when a status moves', () => {
    const step = fc.record({
      type: fc.constantFrom('Ready', 'Progressing', 'example.com/Degraded'),
      status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
      reason: fc.constantFrom('A', 'B'),
      message: fc.constantFrom('x', 'y'),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let list: readonly Condition[] = [];
        steps.forEach((desired, i) => {
          const before = findCondition(list, desired.type);
          const now = `t${i}`;
          const { conditions, changed } = setCondition(list, desired, now);
          const after = findCondition(conditions, desired.type);
          expect(after).toMatchObject(desired);
          expect(after?.lastTransitionTime === now).toBe(before?.status !== desired.status);
          expect(changed).toBe(conditions !== list);
          expect(setCondition(conditions, desired, 'later')).toEqual({ conditions, changed: false });
          expect(new Set(conditions.map((c) => c.type)).size).toBe(conditions.length);
          list = conditions;
        });
      }),
    );
  });

  it.each<[string, Partial<DesiredCondition>]>([
    ['an empty type', { type: '' }],
    ['a type with a space', { type: 'Not Ready' }],
    ['a type with an upper-case domain', { type: 'Example.com/Ready' }],
    ['a type that is too long', { type: 'A'.repeat(317) }],
    ['an empty reason', { reason: '' }],
    ['a reason that is a sentence', { reason: 'It works.' }],
    ['a reason that begins with a digit', { reason: '1st' }],
    ['a reason that ends with a colon', { reason: 'Waiting:' }],
    ['a reason that is too long', { reason: 'A'.repeat(1025) }],
    ['a negative generation', { observedGeneration: -1 }],
  ])('refuses %s', (_name, change) => {
    expect(() => setCondition([], { ...ready, ...change }, early)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });

  it.each(['Ready', 'example.com/Ready', 'a', 'A_b.c-d', 'A'.repeat(316)])('admits the type %s', (type) => {
    expect(setCondition([], { ...ready, type }, early).changed).toBe(true);
  });

  it('cuts a message that is too long, never inside a character', () => {
    const message = `${'x'.repeat(32_766)}😀😀`;
    const cut = setCondition([], { ...ready, message }, early).conditions[0]?.message;
    expect(cut).toBe(`${'x'.repeat(32_766)}…`);
    expect(setCondition([], { ...ready, message: 'x'.repeat(32_768) }, early).conditions[0]?.message).toHaveLength(32_768);
  });
});

it('reads and removes conditions, and takes an absent one for not true', () => {
  const { conditions } = setCondition([], ready, early);
  expect(isConditionTrue(conditions, 'Ready')).toBe(true);
  expect(isConditionTrue(conditions, 'Other')).toBe(false);
  expect(isConditionTrue(undefined, 'Ready')).toBe(false);
  expect(removeCondition(conditions, 'Ready')).toEqual([]);
  expect(removeCondition(conditions, 'Other')).toBe(conditions);
});

it('writes times in whole seconds of UTC', () => {
  expect(conditionTime(Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toBe('2026-01-02T03:04:05Z');
});
