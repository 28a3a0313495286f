import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { changedKeys, withKeys } from './config-changes.ts';
import { defineConfig } from './define-config.ts';
import { Secret } from './secret.ts';
import { secret } from './setting-types.ts';

const definition = defineConfig({
  limit: z.int().describe('Limit.'),
  names: z.array(z.string()).describe('Names.'),
  auth: z.object({ token: secret().describe('Token.'), modes: z.record(z.string(), z.int()).describe('Modes.') }),
});

const values = fc.record({
  limit: fc.integer({ min: 0, max: 2 }),
  names: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  auth: fc.record({
    token: fc.constantFrom('x', 'y').map((text) => new Secret(text)),
    modes: fc.dictionary(fc.constantFrom('m', 'n'), fc.integer({ min: 0, max: 1 })),
  }),
});

const names = (before: Parameters<typeof changedKeys>[1], after: Parameters<typeof changedKeys>[2]): string[] =>
  changedKeys(definition, before, after).map((key) => key.name);

describe('changedKeys and withKeys', () => {
  it('find nothing changed after all changes were taken over, and leave the others alone', () => {
    fc.assert(
      fc.property(values, values, fc.nat(7), (before, after, mask) => {
        const changed = changedKeys(definition, before, after);
        expect(names(withKeys(before, after, changed), after)).toEqual([]);
        const some = changed.filter((_, i) => (mask & (1 << i)) !== 0);
        const mixed = withKeys(before, after, some);
        expect(names(before, mixed)).toEqual(some.map((key) => key.name));
      }),
    );
  });

  it('do not change what they were given', () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        const copy = JSON.stringify(before);
        withKeys(before, after, definition.keys);
        expect(JSON.stringify(before)).toBe(copy);
      }),
    );
  });

  it('tell secrets apart by what they hold', () => {
    const base = { limit: 1, names: [], auth: { token: new Secret('x'), modes: {} } };
    expect(names(base, { ...base, auth: { ...base.auth, token: new Secret('x') } })).toEqual([]);
    expect(names(base, { ...base, auth: { ...base.auth, token: new Secret('y') } })).toEqual(['auth.token']);
  });
});
