import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Draft, draftOf, draftValue, fieldPath, isSameValue, maskPath, withDraftValue } from './draft.ts';

describe('a draft', () => {
  it('gives back what was put in, and leaves everything else alone', () => {
    const paths = fc.array(fc.constantFrom('a', 'b', 'c.d'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(paths, fc.string(), (path, value) => {
        const before: Draft = { z: { y: 1 }, a: { b: 'text' } };
        const after = withDraftValue(before, path, value);
        expect(draftValue(after, path)).toBe(value);
        expect(draftValue(after, 'z.y')).toBe(1);
        expect(before).toEqual({ z: { y: 1 }, a: { b: 'text' } });
      }),
    );
  });

  it('begins with what the object has at the paths, and nothing where it has nothing', () => {
    const object = { id: 'h1', metadata: { name: 'a', version: '3' }, spec: { rack: 'r', bmc: { password: '<redacted>' } } };
    expect(draftOf(object, ['id', 'metadata.name', 'spec.rack', 'spec.bmc.url', ['spec', 'x.y']])).toEqual({
      id: 'h1',
      metadata: { name: 'a' },
      spec: { rack: 'r' },
    });
  });

  it('takes a value out', () => {
    expect(withDraftValue({ spec: { rack: 'r', title: 't' } }, 'spec.rack', undefined)).toEqual({ spec: { title: 't' } });
  });

  it.each([
    ['', undefined, true],
    [0, undefined, true],
    ['HOST_POWER_STATE_UNSPECIFIED', undefined, true],
    [{ a: '', b: [] }, undefined, true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [['a', 'b'], ['b', 'a'], false],
    ['a', 'b', false],
    [1, '1', false],
  ])('takes %j and %j for the same: %s', (a, b, isSame) => {
    expect(isSameValue(a, b)).toBe(isSame);
  });

  it('quotes keys that would be read as something else', () => {
    expect(maskPath('spec.bmc.url')).toBe('spec.bmc.url');
    expect(maskPath(['metadata', 'labels', 'example.com/zone'])).toBe('metadata.labels.`example.com/zone`');
    expect(maskPath(['metadata', 'labels', 'a`b'])).toBe('metadata.labels.`a``b`');
  });

  it.each([
    ['spec.rack', 'spec.rack'],
    ["spec.node_sets['workers'].size", 'spec.node_sets.workers.size'],
    ["spec.template_parameters['a.b']", 'spec.template_parameters.`a.b`'],
    ['spec.template_parameters.`a.b`', 'spec.template_parameters.`a.b`'],
    ['parameters[0].name', 'parameters.0.name'],
    ['node_sets.``', 'node_sets.``'],
  ])('knows the field %s by one name', (field, name) => {
    expect(fieldPath(field)).toBe(name);
  });
});
