import { invalidFields, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { fieldSegments, parseYaml, placedFailure, placeOf } from './yaml-document.ts';

describe('placedFailure', () => {
  const [document] = parseYaml('# A host.\nmetadata:\n  name: a\nspec:\n  bootMac: x\n', 'f.yaml');
  if (document === undefined) throw new Error('there is a document');
  const place = (field: string): string => placeOf(document.node, field, document.from);

  it('gives every field that is refused a line of its own, with its line in the file', () => {
    const refusal = invalidFields([
      { field: 'spec.boot_mac', description: 'must be a MAC address' },
      { field: 'metadata.name', description: 'is taken' },
    ]);
    expect(placedFailure(refusal, { place })).toMatchObject({
      code: 'invalid_argument',
      message: 'f.yaml:5: spec.boot_mac: must be a MAC address\nf.yaml:3: metadata.name: is taken',
    });
  });

  it('names the document when no field is to blame', () => {
    expect(placedFailure(new StatusError('permission_denied', 'no'), { place })).toMatchObject({
      code: 'permission_denied',
      message: 'f.yaml:2: no',
    });
  });
});

describe('fieldSegments', () => {
  it.each([
    ['spec.rack', ['spec', 'rack']],
    ["a['b.c'].d", ['a', 'b.c', 'd']],
    ['a["b"][0]', ['a', 'b', '0']],
    ['labels.`x.y/z``q`', ['labels', 'x.y/z`q']],
    ['', []],
  ])('splits %s', (path, segments) => {
    expect(fieldSegments(path)).toEqual(segments);
  });
});
