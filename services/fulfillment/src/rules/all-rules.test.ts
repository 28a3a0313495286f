import { type DescMessage, equals, type MessageShape } from '@bufbuild/protobuf';
import { redacted } from '@quartermaster/store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryMessage } from '../../test/arbitrary-message.ts';
import { keepStored, mergeUnmasked, parseMask } from '../masks/index.ts';
import {
  clusterRules,
  clusterTemplateRules,
  hostClassRules,
  hostPoolRules,
  hostRules,
  hubRules,
  type KindRules,
  kindNames,
} from './index.ts';

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

const everyKind: readonly [string, KindRules<DescMessage>][] = [
  ['hosts', hostRules],
  ['host_classes', hostClassRules],
  ['cluster_templates', clusterTemplateRules],
  ['clusters', clusterRules],
  ['hubs', hubRules],
  ['host_pools', hostPoolRules],
].map(([name, rules]) => [name, rules] as [string, KindRules<DescMessage>]);

describe.each(everyKind)('the rules of %s', (name, rules) => {
  const { schema } = rules;
  const anything = arbitraryMessage(schema, { texts: strange });
  const places = [...rules.outputOnly, ...rules.publicOutputOnly].map(({ pattern }) => pattern);

  it('belong to a kind', () => {
    expect(kindNames).toContain(name);
    expect(rules.kind).toBe(name);
  });

  it('name places that exist', () => {
    for (const pattern of [...places, ...rules.lateFields, ...rules.secrets]) {
      expect(() => parseMask(schema, [pattern.replaceAll('*', 'key')])).not.toThrow();
    }
  });

  it('answer anything, and change nothing that they are given', () => {
    fc.assert(
      fc.property(anything, anything, (before, after) => {
        const copies: [MessageShape<DescMessage>, MessageShape<DescMessage>] = [structuredClone(before), structuredClone(after)];
        const normal = rules.normalise(after);
        for (const { field, description } of rules.validate(normal)) {
          expect(field).not.toBe('');
          expect(description).not.toBe('');
        }
        for (const { field, value } of [...rules.references(normal), ...rules.references(normal, before)]) {
          expect(value).not.toBe('');
          expect(() => parseMask(schema, [field])).not.toThrow();
        }
        rules.onCreate(normal, new Map());
        rules.onUpdate(before, normal, new Map());
        rules.onDelete(normal);
        expect([structuredClone(before), structuredClone(after)]).toEqual(copies);
      }),
    );
  });

  it('let an object that is sent back as it was read stay as it is', () => {
    fc.assert(
      fc.property(anything, (object) => {
        const stored = rules.normalise(keepStored(schema, object, object, {}));
        const merged = mergeUnmasked(schema, stored, stored, {
          unknownToCaller: rules.lateFields,
          secrets: rules.secrets,
          outputOnly: rules.outputOnly,
        });
        expect(equals(schema, merged, stored)).toBe(true);
        expect(rules.references(merged, stored)).toEqual([]);
      }),
    );
  });

  it('normalise to something that normalising does not change', () => {
    fc.assert(fc.property(anything, (object) => equals(schema, rules.normalise(rules.normalise(object)), rules.normalise(object))));
  });
});
