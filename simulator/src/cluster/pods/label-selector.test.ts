import { describe, expect, it } from 'vitest';
import { matchesNodeTerm, matchesSelector } from './label-selector.ts';

describe('matchesSelector', () => {
  const labels = { app: 'web', tier: 'front' };

  it('matches everything when empty and nothing when absent', () => {
    expect(matchesSelector({}, labels)).toBe(true);
    expect(matchesSelector(undefined, labels)).toBe(false);
  });

  it.each([
    ['In', ['web', 'api'], true],
    ['In', ['api'], false],
    ['NotIn', ['api'], true],
    ['NotIn', ['web'], false],
    ['Exists', [], true],
    ['DoesNotExist', [], false],
    ['Unheard', ['web'], false],
  ])('judges app %s %j as %s', (operator, values, expected) => {
    expect(matchesSelector({ matchExpressions: [{ key: 'app', operator, values }] }, labels)).toBe(expected);
  });

  it('needs every label and every expression', () => {
    const matchExpressions = [{ key: 'other', operator: 'NotIn', values: ['x'] }];
    expect(matchesSelector({ matchLabels: { app: 'web' }, matchExpressions }, labels)).toBe(true);
    expect(matchesSelector({ matchLabels: { app: 'web', tier: 'back' }, matchExpressions }, labels)).toBe(false);
  });
});

describe('matchesNodeTerm', () => {
  it('matches no node without requirements', () => {
    expect(matchesNodeTerm({}, {}, 'node')).toBe(false);
  });

  it('compares whole numbers and nothing else', () => {
    const above = (value: string) =>
      matchesNodeTerm({ matchExpressions: [{ key: 'gpus', operator: 'Gt', values: ['4'] }] }, { gpus: value }, 'node');
    expect([above('8'), above('4'), above('many')]).toEqual([true, false, false]);
  });

  it('finds a node by its name', () => {
    const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] };
    expect([matchesNodeTerm(term, {}, 'node-1'), matchesNodeTerm(term, {}, 'node-2')]).toEqual([true, false]);
  });
});
