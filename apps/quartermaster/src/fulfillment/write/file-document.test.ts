import { invalidFields, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { fieldSegments, parseDocuments, placedFailure } from './file-document.ts';

const text = `kind: Host
metadata:
  name: a
spec:
  nics:
    - mac: 1
    - mac: 2
  bootMac: x
---
# nothing but this comment
---
"@type": type.googleapis.com/fulfillment.v1.Cluster
spec:
  node_sets:
    a.b: {size: 1}
---
items:
  - kind: host-class
    id: x
  - kind: Hub
    ip: y
`;

describe('parseDocuments', () => {
  it('reads several documents, lists of them, and both ways to name a kind', () => {
    expect(parseDocuments(text, 'f.yaml').map(({ kind, api, json }) => ({ kind, api, json }))).toEqual([
      {
        kind: 'hosts',
        api: undefined,
        json: { metadata: { name: 'a' }, spec: { nics: [{ mac: 1 }, { mac: 2 }], bootMac: 'x' } },
      },
      { kind: 'clusters', api: 'public', json: { spec: { node_sets: { 'a.b': { size: 1 } } } } },
      { kind: 'host-classes', api: undefined, json: { id: 'x' } },
      { kind: 'hubs', api: undefined, json: { ip: 'y' } },
    ]);
  });

  it('reads JSON', () => {
    expect(parseDocuments('[{"kind": "HostPool", "id": "p"}]', 'f.json')).toMatchObject([{ kind: 'host-pools', json: { id: 'p' } }]);
  });

  it.each([
    ['spec.nics[1].mac', 0, 7],
    ['spec.boot_mac', 0, 8],
    ['object.metadata.name', 0, 3],
    ['spec.rack', 0, 5],
    ["spec.node_sets['a.b'].size", 1, 15],
    ['spec.node_sets.`a.b`.host_class', 1, 15],
    ['ip', 3, 21],
  ])('knows the line of %s, or of the nearest thing above it', (field, index, line) => {
    expect(parseDocuments(text, 'f.yaml')[index]?.place(field)).toBe(`f.yaml:${line}`);
  });

  it.each([
    ['kind: Hosst\n', 'f.yaml:1: unknown kind "Hosst": "kind" is one of Host, HostClass'],
    ['id: x\n', 'f.yaml:1: a document requires a kind'],
    ['a: 1\n\n\n- b\n', 'f.yaml:'],
    ['--- 5\n', 'f.yaml:1: a document must be an object with a kind'],
    ['"@type": x/private.v1.Event\n', 'f.yaml:1: unknown kind "x/private.v1.Event"'],
  ])('refuses %j with its place', (bad, message) => {
    expect(() => parseDocuments(bad, 'f.yaml')).toThrow(message);
  });

  it('finds nothing in an empty text', () => {
    expect(parseDocuments('', 'f.yaml')).toEqual([]);
  });
});

describe('placedFailure', () => {
  const document = parseDocuments(text, 'f.yaml')[0];
  if (document === undefined) throw new Error('there is a document');

  it('gives every field that is refused a line of its own, with its line in the file', () => {
    const refusal = invalidFields([
      { field: 'spec.boot_mac', description: 'must be a MAC address' },
      { field: 'metadata.name', description: 'is taken' },
    ]);
    expect(placedFailure(refusal, document)).toMatchObject({
      code: 'invalid_argument',
      message: 'f.yaml:8: spec.boot_mac: must be a MAC address\nf.yaml:3: metadata.name: is taken',
    });
  });

  it('names the document when no field is to blame', () => {
    expect(placedFailure(new StatusError('permission_denied', 'no'), document)).toMatchObject({
      code: 'permission_denied',
      message: 'f.yaml:1: no',
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
