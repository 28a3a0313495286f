import { describe, expect, it } from 'vitest';
import { isExpression, parseTerms, unknownKeyHint } from './terms.ts';

const keys = ['name', 'rack', 'state', 'tenants'];

describe('the terms of a filter', () => {
  it('are words and keys with values, whole in quotes', () => {
    expect(parseTerms('gpu Rack:r1 state:"Not Ready" tenant:acme', keys)).toEqual([
      { key: undefined, text: 'gpu', isWhole: false },
      { key: 'rack', text: 'r1', isWhole: false },
      { key: 'state', text: 'Not Ready', isWhole: true },
      { key: 'tenants', text: 'acme', isWhole: false },
    ]);
    expect(parseTerms('rack: host:7', keys)).toEqual([{ key: undefined, text: 'host:7', isWhole: false }]);
    expect(parseTerms('rack:""', keys)).toEqual([{ key: 'rack', text: '', isWhole: true }]);
  });

  it('are told from expressions', () => {
    expect(['this.spec.rack == "r1"', 'this.name', 'a = b', '!x'].map(isExpression)).toEqual([true, true, true, true]);
    expect(['gpu-01', 'state:"a == b"', 'rack:r1 h100', ''].map(isExpression)).toEqual([false, false, false, false]);
  });

  it('come with a hint for a key that does not exist', () => {
    expect(unknownKeyHint('rak:r1', keys)).toBe('There is no key rak, so it is searched for as text. Keys: name, rack, state, tenants.');
    expect(unknownKeyHint('rack:r1 state:"odd: one" 52:54:00', keys)).toBeUndefined();
    expect(unknownKeyHint('this.rak == "x:y"', keys)).toBeUndefined();
  });
});
