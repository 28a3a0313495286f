import { ClusterSchema } from '@quartermaster/api/private';
import { codeOf } from '@quartermaster/kernel';
import { keyText, parseMask } from '@quartermaster/objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const texts = (...paths: string[]): string[] => parseMask(ClusterSchema, paths).map(({ text }) => text);

describe('parseMask', () => {
  it.each([
    ['spec.template', 'spec.template'],
    [' spec . template ', 'spec.template'],
    ['spec..template.', 'spec.template'],
    ['spec.node_sets.workers.size', 'spec.node_sets.workers.size'],
    ['spec.node_sets["workers"].size', 'spec.node_sets.workers.size'],
    ["spec.node_sets['workers'].size", 'spec.node_sets.workers.size'],
    ['metadata.labels.`a.b/c`', 'metadata.labels.`a.b/c`'],
    ['metadata.labels["a.b/c"]', 'metadata.labels.`a.b/c`'],
    ['metadata.labels["\\u0061.b"]', 'metadata.labels.`a.b`'],
    ['metadata.labels.`a``b`', 'metadata.labels.`a``b`'],
    ['metadata.labels.``', 'metadata.labels.``'],
    ['status.conditions.0.reason', 'status.conditions.0.reason'],
    ['status.conditions[0].reason', 'status.conditions.0.reason'],
    ['spec.template_parameters.size', 'spec.template_parameters.size'],
  ])('reads %s', (path, text) => {
    expect(texts(path)).toEqual([text]);
  });

  it('names a place once however often and in whatever spelling it is given', () => {
    expect(texts('spec.node_sets["w"]', 'spec.node_sets.w')).toEqual(['spec.node_sets.w']);
  });

  it.each([
    ['spec.tempalte', 'ClusterSpec has no field "tempalte"; did you mean "template"?'],
    ['spec.nodeSets', 'did you mean "node_sets"?'],
    ['specification.of.nothing', 'Cluster has no field "specification"; it has id, metadata, spec, status'],
    ['*', 'wildcards are not supported'],
    ['spec.*', 'wildcards are not supported'],
    ['spec.node_sets.*.size', 'wildcards are not supported'],
    ['status.conditions.*', 'wildcards are not supported'],
    ['', 'names at least one field'],
    [' . ', 'names at least one field'],
    ['status.conditions.first', '"first" is not an index'],
    ['status.conditions.-1', '"-1" is not an index'],
    ['status.conditions.99999999999', 'is not an index'],
    ['metadata.name.first', 'field "name" has no parts'],
    ['metadata.labels.a.b', 'a key that holds a dot is written in backquotes'],
    ['spec.template_parameters.p.value', 'Any, which is set as a whole,'],
    ['metadata.creation_timestamp.seconds', 'Timestamp, which is set as a whole,'],
    ['metadata.labels.__proto__', 'cannot be a key'],
    ['metadata.labels.`a', 'a backquote is not closed'],
    ['metadata.labels["a"', 'a bracket must hold'],
    ['metadata.labels["a"]b', 'after a quoted key comes a dot'],
    ['metadata.labels["\\x"]', 'is not a string'],
    ['`spec`', 'has no field'],
  ])('refuses %s', (path, message) => {
    expect(() => texts(path)).toThrow(message);
  });

  it('reads every key back that keyText writes', () => {
    const unit = fc.constantFrom(
      'a',
      'Z',
      '0',
      '_',
      '-',
      '.',
      '/',
      '`',
      '"',
      "'",
      '\\',
      '[',
      ']',
      '*',
      ' ',
      '\n',
      '\0',
      'é',
      '😀',
      '\ud800',
    );
    const keys = fc.string({ unit }).filter((key) => key !== '__proto__');
    fc.assert(fc.property(keys, (key) => parseMask(ClusterSchema, [`metadata.labels.${keyText(key)}`])[0]?.segments[2] === key));
  });

  it('answers anything with paths or with invalid_argument', () => {
    const pieces = fc.constantFrom(
      'spec',
      'node_sets',
      'status',
      'conditions',
      'metadata',
      'labels',
      '.',
      '[',
      ']',
      '"',
      '`',
      "'",
      '0',
      '*',
      '\\',
      'é',
      ' ',
    );
    const paths = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(paths, (path) => {
        try {
          return parseMask(ClusterSchema, [path]).length === 1;
        } catch (error) {
          return codeOf(error) === 'invalid_argument';
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('does not repeat a text of any length', () => {
    expect(() => texts('x'.repeat(1_000_000))).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{0,700}$/) }));
  });
});
