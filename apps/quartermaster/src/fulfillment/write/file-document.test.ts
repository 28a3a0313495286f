import { describe, expect, it } from 'vitest';
import { parseDocuments } from './file-document.ts';

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
