import { describe, expect, it } from 'vitest';
import { type KeyCommand, noKeys, readKey } from './key-sequence.ts';

const pages = new Map([
  ['o', '/'],
  ['n', '/nodes'],
  ['p', '/pods'],
]);

/** The commands that a run of keys gives, 100 ms apart or as far as told. */
function type(keys: readonly string[], { isTyping = false, hasModifier = false, stepMs = 100 } = {}): KeyCommand[] {
  let state = noKeys;
  return keys.flatMap((key, index) => {
    const result = readKey(state, { key, at: index * stepMs, isTyping, hasModifier }, pages);
    state = result.state;
    return result.command ?? [];
  });
}

describe('keys', () => {
  it('jumps to a page with g and a letter', () => {
    expect(type(['g', 'n'])).toEqual([{ kind: 'go', href: '/nodes' }]);
    expect(type(['g', 'p', 'g', 'o'])).toEqual([
      { kind: 'go', href: '/pods' },
      { kind: 'go', href: '/' },
    ]);
  });

  it('forgets g after a while, after another key, and with a modifier', () => {
    expect(type(['g', 'n'], { stepMs: 2_000 })).toEqual([]);
    expect(type(['g', 'x', 'n'])).toEqual([]);
    expect(type(['g', 'n'], { hasModifier: true })).toEqual([]);
  });

  it('starts over when g is pressed twice', () => {
    expect(type(['g', 'g', 'n'])).toEqual([{ kind: 'go', href: '/nodes' }]);
  });

  it('leaves what is typed into a field alone, except for Escape', () => {
    expect(type(['/', '?', 'g', 'n', 'r', 'Escape'], { isTyping: true })).toEqual([{ kind: 'close' }]);
  });

  it('searches, helps, releases and closes', () => {
    expect(type(['/', '?', 'r', 'Escape']).map(({ kind }) => kind)).toEqual(['search', 'help', 'release', 'close']);
  });
});
