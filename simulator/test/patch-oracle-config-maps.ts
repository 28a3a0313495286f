import type { JsonObject } from '../src/schema/index.ts';
import { apply, type Cases, create, data, json, merge, strategic } from './patch-oracle-steps.ts';

const finalizers = ['a.example/x', 'a.example/y'];
const start = create(data({ a: '1', b: '2' }, { labels: { app: 'web' }, finalizers: [] }));

export const configMapCases: Cases = {
  'JSON patch: add, replace and remove': [
    start,
    json({ op: 'add', path: '/data/c', value: '3' }, { op: 'replace', path: '/data/a', value: '9' }, { op: 'remove', path: '/data/b' }),
  ],
  'JSON patch: replace of a missing field': [start, json({ op: 'replace', path: '/data/c', value: '3' })],
  'JSON patch: escapes': [
    start,
    json(
      { op: 'add', path: '/metadata/annotations', value: { 'a.example/b': '1' } },
      { op: 'replace', path: '/metadata/annotations/a.example~1b', value: '2' },
    ),
  ],
  'JSON patch: append and insert': [
    start,
    json(
      { op: 'add', path: '/metadata/finalizers', value: ['a.example/x'] },
      { op: 'add', path: '/metadata/finalizers/-', value: 'a.example/z' },
      { op: 'add', path: '/metadata/finalizers/0', value: 'a.example/w' },
    ),
    json({ op: 'remove', path: '/metadata/finalizers' }),
  ],
  'JSON patch: negative index': [
    create(data({ a: '1' }, { finalizers })),
    json({ op: 'replace', path: '/metadata/finalizers/-1', value: 'a.example/q' }),
    json({ op: 'remove', path: '/metadata/finalizers' }),
  ],
  'JSON patch: move and copy': [
    start,
    json({ op: 'move', from: '/data/a', path: '/data/c' }, { op: 'copy', from: '/data/b', path: '/data/d' }),
  ],
  'JSON patch: a test that holds': [start, json({ op: 'test', path: '/data/a', value: '1' }, { op: 'remove', path: '/data/a' })],
  'JSON patch: a test that fails': [start, json({ op: 'test', path: '/data/a', value: '2' }, { op: 'remove', path: '/data/a' })],
  'JSON patch: a test of a missing field': [start, json({ op: 'test', path: '/data/zzz', value: '2' })],
  'JSON patch: a test of a missing field against null': [start, json({ op: 'test', path: '/data/zzz', value: null })],
  'JSON patch: remove what is not there': [start, json({ op: 'remove', path: '/data/zzz' })],
  'JSON patch: a parent that is not there': [start, json({ op: 'add', path: '/nope/a', value: '1' })],
  'JSON patch: into a text': [start, json({ op: 'add', path: '/data/a/b', value: '1' })],
  'JSON patch: an unknown operation': [start, json({ op: 'swap', path: '/data/a' })],
  'JSON patch: no operation': [start, json({ path: '/data/a' })],
  'JSON patch: an index out of range': [
    create(data({}, { labels: { a: 'b' } })),
    json({ op: 'remove', path: '/metadata/managedFields/7' }),
  ],
  'JSON patch: an index that is no number': [start, json({ op: 'remove', path: '/metadata/managedFields/x' })],
  'JSON patch: a pointer without slash': [start, json({ op: 'add', path: 'data', value: {} })],
  'JSON patch: not a list': [start, { verb: 'json', patch: {} }],
  'JSON patch: an empty list': [start, { verb: 'json', patch: [] }],
  'JSON patch: null as operation': [start, { verb: 'json', patch: [null] }],
  'JSON patch: a number as operation name': [start, { verb: 'json', patch: [{ op: 1, path: '/data/a' }] }],
  'JSON patch: a test of a whole map': [start, json({ op: 'test', path: '/data', value: { b: '2', a: '1' } })],
  'JSON patch: copy of a missing field': [start, json({ op: 'copy', from: '/data/zzz', path: '/data/c' })],
  'JSON patch: copy from a missing parent': [start, json({ op: 'copy', from: '/nope/zzz', path: '/data/c' })],
  'JSON patch: move of a missing field': [start, json({ op: 'move', from: '/data/zzz', path: '/data/c' })],
  'JSON patch: removal of the whole document': [start, json({ op: 'remove', path: '' })],
  'merge patch: set and remove': [start, merge({ data: { a: null, c: '3' } })],
  'merge patch: remove a map': [start, merge({ data: null })],
  'merge patch: replaces lists': [
    create(data({}, { finalizers })),
    merge({ metadata: { finalizers: ['a.example/q'] } }),
    merge({ metadata: { finalizers: null } }),
  ],
  'merge patch: nothing': [start, merge({})],
  'merge patch: no object': [start, { verb: 'merge', patch: [] }],
  'merge patch: null': [start, { verb: 'merge', patch: null }],
  'merge patch: by another manager': [start, merge({ data: { a: '5' } }, 'other')],
  'strategic patch: a map': [start, strategic({ data: { a: null, c: '3' } })],
  'strategic patch: replaces a map': [start, strategic({ data: { $patch: 'replace', z: '1' } })],
  'strategic patch: deletes a map': [start, strategic({ data: { $patch: 'delete' } })],
  'strategic patch: an unknown directive': [start, strategic({ data: { $patch: 'explode' } })],
  'strategic patch: no object': [start, { verb: 'strategic', patch: 'x' }],
  'strategic patch: null': [start, { verb: 'strategic', patch: null }],
  'strategic patch: a set of values': [
    create(data({}, { finalizers })),
    strategic({ metadata: { finalizers: ['a.example/z', 'a.example/x'] } }),
    merge({ metadata: { finalizers: null } }),
  ],
  'strategic patch: deletes from a set of values': [
    create(data({}, { finalizers })),
    strategic({ metadata: { '$deleteFromPrimitiveList/finalizers': ['a.example/x'] } }),
    merge({ metadata: { finalizers: null } }),
  ],
  'strategic patch: orders a set of values': [
    create(data({}, { finalizers })),
    strategic({ metadata: { '$setElementOrder/finalizers': ['a.example/y', 'a.example/x'] } }),
    merge({ metadata: { finalizers: null } }),
  ],
  'strategic patch: an order that does not fit': [
    start,
    strategic({ metadata: { '$setElementOrder/finalizers': ['b.example/z'], finalizers: ['b.example/y'] } }),
  ],
  'strategic patch: retainKeys': [start, strategic({ data: { $retainKeys: ['a', 'c'], c: '3' } })],
  'strategic patch: retainKeys that forgets a key': [start, strategic({ data: { $retainKeys: ['a'], c: '3' } })],
  'replace: changes one field': [start, { verb: 'replace', change: (stored) => ({ ...stored, data: { a: '7' } }), manager: 'editor' }],
  'replace: changes nothing': [start, { verb: 'replace', change: (stored) => stored, manager: 'editor' }],
  'replace: clears the owners': [
    start,
    { verb: 'replace', change: (stored) => ({ ...stored, metadata: { ...(stored['metadata'] as JsonObject), managedFields: [] } }) },
    merge({ data: { q: '1' } }),
    apply('painter', data({ a: '5' })),
    apply('painter', data({ a: '5' }), true),
  ],
  'update: the manager keeps one entry': [start, merge({ data: { c: '1' } }), merge({ data: { d: '1' } })],
  'apply: creates': [apply('painter', data({ a: '1' }))],
  'apply: creates with labels, annotations and finalizers': [
    apply('painter', data({ a: '1' }, { labels: { x: 'y' }, annotations: { 'e.example/a': '1' }, finalizers })),
    apply('painter', data({ a: '1' }, { labels: { x: 'y' } })),
  ],
  'apply: twice the same': [apply('painter', data({ a: '1' })), apply('painter', data({ a: '1' }))],
  'apply: removes what is no longer applied': [apply('painter', data({ a: '1', b: '2' })), apply('painter', data({ a: '1' }))],
  'apply: removes everything': [apply('painter', data({ a: '1', b: '2' })), apply('painter', {})],
  'apply: leaves what an update set': [apply('painter', data({ a: '1' })), merge({ data: { z: '1' } }), apply('painter', data({ b: '1' }))],
  'apply: conflict with an update': [create(data({ a: '1' })), apply('painter', data({ a: '2' }))],
  'apply: conflict with two managers': [
    create(data({ a: '1' })),
    apply('one', data({ b: '1' })),
    apply('two', data({ a: '9', b: '9', c: '9' })),
  ],
  'apply: conflict on a label and on data': [
    apply('one', data({ b: '1' }, { labels: { x: '1' } })),
    apply('two', data({ b: '2' }, { labels: { x: '2' } })),
  ],
  'apply: force takes over': [apply('one', data({ a: '1', b: '1' })), apply('two', data({ a: '2' }), true)],
  'apply: force takes over the only field': [apply('one', data({ a: '1' })), apply('two', data({ a: '2' }), true)],
  'apply: shares a field of the same value': [apply('one', data({ a: '1' })), apply('two', data({ a: '1' }))],
  'apply: gives up a shared field': [
    apply('one', data({ a: '1', b: '1' })),
    apply('two', data({ a: '1' })),
    apply('one', data({ b: '1' })),
  ],
  'apply: gives up a field that an update changed': [
    apply('one', data({ a: '1', b: '1' })),
    merge({ data: { a: '2' } }),
    apply('one', data({ b: '1' })),
  ],
  'apply: an update takes a field': [apply('one', data({ a: '1' })), merge({ data: { a: '2' } }), apply('one', data({ a: '1' }))],
  'apply: an update with the same value takes nothing': [apply('one', data({ a: '1' })), merge({ data: { a: '1' } })],
  'apply: an update removes a field': [
    apply('one', data({ a: '1', b: '1' })),
    merge({ data: { a: null } }),
    apply('one', data({ a: '1', b: '1' })),
  ],
  'apply: owns an empty map': [apply('one', { data: {} }), apply('two', data({ a: '1' }))],
  'apply: two managers of one map': [apply('one', data({ a: '1' })), apply('two', data({ b: '1' })), apply('one', {}), apply('two', {})],
  'apply: owners of the object': [
    apply('one', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'p', uid: 'u1' }] } }),
  ],
  'apply: after client-side apply by kubectl': [
    create(
      data(
        { a: '1' },
        {
          annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap"}\n' },
        },
      ),
      'kubectl-client-side-apply',
    ),
    apply('kubectl', data({ a: '2' })),
  ],
  'apply: many updaters are joined': Array.from({ length: 13 }, (_, index) =>
    index === 0 ? start : merge({ data: { [`k${index}`]: '1' } }, `manager-${index}`),
  ),
};
