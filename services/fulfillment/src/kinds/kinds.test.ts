import { equals } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { type AnyKind, type KindRules, keepStored, mergeUnmasked, parseMask, type Usage } from '@quartermaster/objects';
import { columnAt, KeyRing, redacted, type StoredObject } from '@quartermaster/store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryMessage } from '../../test/arbitrary-message.ts';
import { testRules } from '../../test/test-rules.ts';
import { createKinds } from './kinds.ts';

const nothingSent = { sends: () => false, secrets: new Map<string, Uint8Array>() };

/** Texts that once broke something somewhere. */
const strange = fc.constantFrom(
  '',
  'x',
  '\0',
  '../..',
  '__proto__',
  '%00',
  redacted,
  'http://[',
  '::',
  '{',
  '- - -',
  '`',
  '"',
  '𝕏'.repeat(40),
);

/** What all kinds have in common. */
interface Declared extends AnyKind {
  readonly rules: KindRules<GenMessage<StoredObject>>;
  readonly usedBy: readonly Usage[];
}

const kinds: Readonly<Record<string, Declared>> = createKinds(KeyRing.parse(KeyRing.generate()), testRules);

describe.each(Object.entries(kinds))('the kind %s', (name, kind) => {
  const { schema, rules, secretPaths } = kind;
  const anything = arbitraryMessage(schema, { texts: strange });
  const places = [...rules.outputOnly, ...rules.publicOutputOnly].map(({ pattern }) => pattern);

  it('has the name by which it is known', () => {
    expect(kind.name).toBe(name);
  });

  it('is used by fields that have a column, and seen through one', () => {
    for (const { kind: user, field } of kind.usedBy) expect(columnAt(kinds[user] ?? { columns: {} }, field)).toBeDefined();
    if (kind.seenThrough !== undefined) expect(columnAt(kind, kind.seenThrough.path)).toMatchObject({ form: 'text' });
  });

  it('has rules that name places that exist', () => {
    for (const pattern of [...places, ...rules.lateFields, ...secretPaths]) {
      expect(() => parseMask(schema, [pattern.replaceAll('*', 'key')])).not.toThrow();
    }
  });

  it('has rules that answer anything, and change nothing that they are given', () => {
    fc.assert(
      fc.property(anything, anything, (before, after) => {
        const copies: [StoredObject, StoredObject] = [structuredClone(before), structuredClone(after)];
        const normal = rules.normalise(after);
        for (const { field, description } of rules.validate(normal)) {
          expect(field).not.toBe('');
          expect(description).not.toBe('');
        }
        for (const { field, kind: target, value } of [...rules.references(normal), ...rules.references(normal, before)]) {
          expect(value).not.toBe('');
          expect(kinds).toHaveProperty(target);
          expect(() => parseMask(schema, [field])).not.toThrow();
        }
        rules.onCreate(normal, new Map());
        rules.onUpdate(before, normal, new Map(), nothingSent);
        rules.onDelete(normal);
        expect([structuredClone(before), structuredClone(after)]).toEqual(copies);
      }),
    );
  });

  it('lets an object that is sent back as it was read stay as it is', () => {
    fc.assert(
      fc.property(anything, (object) => {
        const stored = rules.normalise(keepStored(schema, object, object, {}));
        const merged = mergeUnmasked(schema, stored, stored, {
          unknownToCaller: rules.lateFields,
          secrets: secretPaths,
          outputOnly: rules.outputOnly,
        });
        expect(equals(schema, merged, stored)).toBe(true);
        expect(rules.references(merged, stored)).toEqual([]);
      }),
    );
  });

  it('normalises to something that normalising does not change', () => {
    fc.assert(fc.property(anything, (object) => equals(schema, rules.normalise(rules.normalise(object)), rules.normalise(object))));
  });
});
