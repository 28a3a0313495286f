import { expect, it } from 'vitest';
import { OwnKey } from './own-key.ts';

/** Tabs of one origin, which share what they store. */
function openTabs(): readonly [OwnKey, OwnKey] {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  };
  return [new OwnKey(() => storage), new OwnKey(() => storage)];
}

it('stays what it was in a tab when another one signs somebody else in, and that tab knows', () => {
  const [one, other] = openTabs();
  one.keep('of-ann');
  expect([other.current, other.isReplaced]).toEqual(['of-ann', false]);
  other.keep('of-tim');
  expect([one.current, one.isReplaced]).toEqual(['of-ann', true]);
  other.keep(undefined);
  expect([one.current, one.isReplaced, other.isReplaced]).toEqual(['of-ann', true, false]);
});

it('of a sign-in at the issuer is apart from that of the session, and is used once', () => {
  const [before, after] = openTabs();
  before.keep('of-ann');
  before.keepFlow('of-the-flow');
  expect([after.current, after.takeFlow(), after.takeFlow()]).toEqual(['of-ann', 'of-the-flow', undefined]);
});
