import type { JsonObject } from '../src/schema/index.ts';
import type { Step } from './patch-oracle.ts';

/** Named sequences of writes to one object. */
export type Cases = Readonly<Record<string, readonly Step[]>>;

const data = (fields: JsonObject, metadata: JsonObject = {}): JsonObject => ({ data: fields, metadata });
const create = (body: JsonObject, manager?: string): Step => ({ verb: 'create', body, ...(manager === undefined ? {} : { manager }) });
const apply = (manager: string, body: JsonObject, force?: boolean): Step => ({
  verb: 'apply',
  manager,
  body,
  ...(force === undefined ? {} : { force }),
});
const json = (...patch: readonly JsonObject[]): Step => ({ verb: 'json', patch });
const merge = (patch: JsonObject, manager?: string): Step => ({ verb: 'merge', patch, ...(manager === undefined ? {} : { manager }) });
const strategic = (patch: JsonObject): Step => ({ verb: 'strategic', patch });
const status = (step: Step): Step => ({ ...step, subresource: 'status' });
const spec = (fields: JsonObject): JsonObject => ({ spec: fields });

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
  'apply: owners of other objects': [
    apply('one', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'p', uid: 'u1' }] } }),
    apply('two', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'q', uid: 'u2' }] } }),
    apply('one', {}),
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

export const gadgetCases: Cases = {
  'create with defaults': [create(spec({ size: 1, nested: { inner: { a: 'x' } }, parts: [{ name: 'p' }] }))],
  'unknown fields are pruned': [create(spec({ size: 1, bogus: 1, nested: { inner: { z: 1 } }, open: { anything: { goes: [1] } } }))],
  'nulls are dropped where not allowed': [create(spec({ size: null, note: null, colour: null, nested: null }))],
  'merge patch to null': [create(spec({ size: 1, note: 'x' })), merge(spec({ note: null, size: null }))],
  'an enum': [create(spec({ colour: 'pink' }))],
  'a minimum and a pattern': [create(spec({ size: -1, label: 'ABC' }))],
  'a length': [create(spec({ label: 'abcdefghi' }))],
  'a wrong type': [create(spec({ size: 'big' }))],
  'a wrong type deep inside': [create(spec({ parts: [{ name: 'a', amount: 'x' }] }))],
  'a missing key': [create(spec({ parts: [{ amount: 1 }] }))],
  'a doubled key': [create(spec({ parts: [{ name: 'a' }, { name: 'a', protocol: 'TCP' }] }))],
  'a doubled value of a set': [create(spec({ tags: ['a', 'a'] }))],
  'too many items': [create(spec({ steps: ['a', 'b', 'c', 'd', 'e'] }))],
  'int or string': [create(spec({ limit: 5 })), merge(spec({ limit: '50%' })), merge(spec({ limit: true }))],
  'a rule in CEL': [create(spec({ size: 13 }))],
  'a rule about the former self': [create(spec({ fixed: 'a' })), merge(spec({ fixed: 'b' })), merge(spec({ fixed: 'a', size: 2 }))],
  'JSON patch': [
    create(spec({ steps: ['a', 'b'] })),
    json({ op: 'add', path: '/spec/steps/1', value: 'x' }, { op: 'test', path: '/spec/colour', value: 'blue' }),
  ],
  'apply: creates with defaults that nobody owns': [apply('one', spec({ size: 1 })), apply('one', spec({ size: 2 }))],
  'apply: a list of keyed items': [
    apply('one', spec({ parts: [{ name: 'a', amount: 1 }, { name: 'b' }] })),
    apply('two', spec({ parts: [{ name: 'b', amount: 2 }, { name: 'c' }] })),
    apply('one', spec({ parts: [{ name: 'b' }] })),
  ],
  'apply: keyed items with the default key': [
    apply('one', spec({ parts: [{ name: 'a', protocol: 'TCP', amount: 1 }] })),
    apply('two', spec({ parts: [{ name: 'a', amount: 2 }] })),
  ],
  'apply: keyed items with several keys': [
    apply(
      'one',
      spec({
        parts: [
          { name: 'a', protocol: 'TCP' },
          { name: 'a', protocol: 'UDP', amount: 1 },
        ],
      }),
    ),
    apply('one', spec({ parts: [{ name: 'a', protocol: 'UDP', amount: 2 }] })),
  ],
  'apply: order of keyed items': [
    apply('one', spec({ parts: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] })),
    apply('two', spec({ parts: [{ name: 'c' }, { name: 'x' }, { name: 'a' }] })),
  ],
  'apply: a set': [apply('one', spec({ tags: ['a', 'b'] })), apply('two', spec({ tags: ['b', 'c'] })), apply('one', spec({ tags: ['d'] }))],
  'apply: an atomic list': [
    apply('one', spec({ steps: ['a'] })),
    apply('two', spec({ steps: ['a', 'b'] })),
    apply('two', spec({ steps: ['a', 'b'] }), true),
  ],
  'apply: an atomic map': [
    apply('one', spec({ whole: { a: '1' } })),
    apply('two', spec({ whole: { b: '1' } })),
    apply('two', spec({ whole: { a: '1' } })),
  ],
  'apply: a map of values': [
    apply('one', spec({ settings: { a: '1' } })),
    apply('two', spec({ settings: { b: '1' } })),
    apply('one', spec({ settings: {} })),
    apply('two', spec({})),
  ],
  'apply: nested objects': [
    apply('one', spec({ nested: { inner: { a: 'x', b: 1 } } })),
    apply('two', spec({ nested: { inner: { b: 2 } } })),
    apply('one', spec({ nested: {} })),
  ],
  'apply: unknown parts': [
    apply('one', spec({ open: { a: { b: 1 }, list: [1, 2] } })),
    apply('two', spec({ open: { a: { c: 1 }, list: [3] } })),
    apply('one', spec({ open: { a: { b: 2 } } })),
  ],
  'apply: a map of unknown parts becomes a text': [
    apply('one', spec({ open: { a: { b: 1 } } })),
    apply('one', spec({ open: { a: 'text' } })),
  ],
  'apply: with null': [apply('one', spec({ note: null, size: 1 })), apply('one', spec({ size: 1 }))],
  'apply: removes all of a keyed item': [
    apply('one', spec({ parts: [{ name: 'a', extra: { x: '1' } }] })),
    apply('two', spec({ parts: [{ name: 'a', extra: { y: '1' } }] })),
    apply('one', spec({})),
  ],
  'apply: doubled keys': [apply('one', spec({ parts: [{ name: 'a' }, { name: 'a' }] }))],
  'apply: with managedFields': [create(spec({ size: 1 })), apply('one', { metadata: { managedFields: [] } })],
  'status: an update owns the status': [create(spec({ size: 1 })), status(merge({ status: { phase: 'Ready' }, spec: { size: 5 } }))],
  'status: a write to the object does not touch it': [
    create({ spec: { size: 1 }, status: { phase: 'Ready' } }),
    merge({ status: { phase: 'Broken' }, spec: { size: 2 } }),
  ],
  'status: apply': [
    apply('one', spec({ size: 1 })),
    status(apply('watcher', { status: { phase: 'Ready', conditions: [{ type: 'A', status: 'True' }] } })),
    status(apply('other', { status: { conditions: [{ type: 'B' }] } })),
    status(apply('watcher', { status: { phase: 'Ready' } })),
  ],
  'status: conflict': [
    apply('one', spec({ size: 1 })),
    status(apply('watcher', { status: { phase: 'Ready' } })),
    status(apply('other', { status: { phase: 'Broken' } })),
  ],
  'status: a wrong value': [create(spec({ size: 1 })), status(merge({ status: { phase: 'Odd' } }))],
  'replace: takes over what it changes': [
    apply('one', spec({ size: 1, settings: { a: '1' } })),
    { verb: 'replace', manager: 'two', change: (stored) => ({ ...stored, spec: { size: 2, colour: 'red', settings: { a: '1' } } }) },
  ],
};

const container = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  image: 'registry.example/main',
  imagePullPolicy: 'Always',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  ...more,
});

const pods = (fields: JsonObject): JsonObject => ({ template: { metadata: { labels: { app: 'web' } }, spec: fields } });
const complete = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};
const port = (containerPort: number, protocol = 'TCP') => ({ containerPort, protocol });
const template = create(
  pods({
    ...complete,
    containers: [
      container('main', {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
        ports: [port(80), port(53, 'UDP')],
      }),
      container('side'),
    ],
    volumes: [{ name: 'scratch', emptyDir: {} }],
    tolerations: [{ key: 'a', operator: 'Exists' }],
  }),
);
const inTemplate = (fields: JsonObject): JsonObject => ({ template: { spec: fields } });

export const podTemplateCases: Cases = {
  create: [template],
  'create with little': [create(pods({ ...complete, containers: [container('main')] }))],
  'strategic patch: an item by its key': [
    template,
    strategic(inTemplate({ containers: [{ name: 'main', image: 'registry.example/other' }] })),
  ],
  'strategic patch: a new item goes in front': [template, strategic(inTemplate({ containers: [container('new')] }))],
  'strategic patch: items in another order': [template, strategic(inTemplate({ containers: [{ name: 'side' }, { name: 'main' }] }))],
  'strategic patch: deletes an item': [template, strategic(inTemplate({ containers: [{ name: 'side', $patch: 'delete' }] }))],
  'strategic patch: deletes an item that is not there': [
    template,
    strategic(inTemplate({ containers: [{ name: 'nobody', $patch: 'delete' }] })),
  ],
  'strategic patch: replaces a list': [template, strategic(inTemplate({ containers: [container('only'), { $patch: 'replace' }] }))],
  'strategic patch: replaces an item': [template, strategic(inTemplate({ containers: [{ ...container('side'), $patch: 'replace' }] }))],
  'strategic patch: an item without its key': [template, strategic(inTemplate({ containers: [{ image: 'x' }] }))],
  'strategic patch: a deletion without its key': [template, strategic(inTemplate({ containers: [{ $patch: 'delete' }] }))],
  'strategic patch: an unknown directive in an item': [
    template,
    strategic(inTemplate({ containers: [{ name: 'main', $patch: 'twist' }] })),
  ],
  'strategic patch: merge as a directive': [template, strategic(inTemplate({ containers: [{ name: 'main', $patch: 'merge' }] }))],
  'strategic patch: the order of items': [
    template,
    strategic(inTemplate({ '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }] })),
  ],
  'strategic patch: the order with a change': [
    template,
    strategic(
      inTemplate({
        '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }],
        containers: [{ name: 'main', image: 'registry.example/other' }],
      }),
    ),
  ],
  'strategic patch: the order with a deletion': [
    template,
    strategic(inTemplate({ '$setElementOrder/containers': [{ name: 'main' }], containers: [{ name: 'side', $patch: 'delete' }] })),
  ],
  'strategic patch: environment': [
    template,
    strategic(
      inTemplate({
        containers: [
          {
            name: 'main',
            env: [
              { name: 'C', value: '3' },
              { name: 'A', value: null },
              { name: 'B', $patch: 'delete' },
            ],
          },
        ],
      }),
    ),
  ],
  'strategic patch: ports by number': [
    template,
    strategic(inTemplate({ containers: [{ name: 'main', ports: [{ containerPort: 80, name: 'web' }] }] })),
  ],
  'strategic patch: a list that is replaced': [template, strategic(inTemplate({ tolerations: [{ key: 'b', operator: 'Exists' }] }))],
  'strategic patch: volumes retain their keys': [
    template,
    strategic(inTemplate({ volumes: [{ name: 'scratch', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x', type: '' } }] })),
  ],
  'strategic patch: removes a map': [template, strategic({ template: { metadata: { labels: null } } })],
  'strategic patch: removes a list': [template, strategic(inTemplate({ volumes: null }))],
  'strategic patch: nested directives in something new': [template, strategic(inTemplate({ nodeSelector: { a: 'b', c: null } }))],
  'merge patch: replaces a list of containers': [template, merge(inTemplate({ containers: [container('only')] }))],
  'apply: creates': [apply('one', pods({ ...complete, containers: [container('main')] }))],
  'apply: shares containers': [
    apply('one', pods({ ...complete, containers: [container('main')] })),
    apply('two', inTemplate({ containers: [{ name: 'main', env: [{ name: 'A', value: '1' }] }] })),
    apply('one', pods({ ...complete, containers: [container('main', { workingDir: '/w' })] })),
    apply('two', inTemplate({ containers: [{ name: 'main' }] })),
  ],
  'apply: ports with and without protocol': [
    apply('one', pods({ ...complete, containers: [container('main', { ports: [port(80)] })] })),
    apply('two', inTemplate({ containers: [{ name: 'main', ports: [{ containerPort: 80, name: 'web' }] }] })),
    apply('two', inTemplate({ containers: [{ name: 'main', ports: [{ containerPort: 80, protocol: 'UDP', name: 'web' }] }] })),
  ],
  'apply: conflict deep inside': [template, apply('two', inTemplate({ containers: [{ name: 'main', image: 'registry.example/other' }] }))],
  'apply: conflict on an item': [template, apply('two', inTemplate({ containers: [{ name: 'main', env: [{ name: 'A', value: '9' }] }] }))],
  'apply: tolerations are atomic': [
    template,
    apply('two', inTemplate({ containers: [{ name: 'main' }], tolerations: [{ key: 'c', operator: 'Exists' }] })),
  ],
  'apply: quantities': [
    apply(
      'one',
      pods({ ...complete, containers: [container('main', { resources: { requests: { cpu: '500m' }, limits: { memory: '1Gi' } } })] }),
    ),
    apply('two', inTemplate({ containers: [{ name: 'main', resources: { limits: { cpu: '2' } } }] })),
  ],
  'apply: unknown field': [template, apply('two', inTemplate({ containers: [{ name: 'main' }], bogus: 1 }))],
  'apply: wrong type': [template, apply('two', inTemplate({ containers: 'main' }))],
  'apply: wrong scalar': [template, apply('two', inTemplate({ containers: [{ name: 'main', tty: 'yes' }] }))],
  'apply: doubled containers': [template, apply('two', inTemplate({ containers: [{ name: 'main' }, { name: 'main' }] }))],
};

const servicePort = (number: number, more: JsonObject = {}) => ({
  port: number,
  targetPort: number,
  protocol: 'TCP',
  name: `p${number}`,
  ...more,
});
const service = (fields: JsonObject): JsonObject => ({
  spec: {
    clusterIP: 'None',
    clusterIPs: ['None'],
    type: 'ClusterIP',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ...fields,
  },
});

export const serviceCases: Cases = {
  create: [create(service({ ports: [servicePort(80)], selector: { a: 'b' } }))],
  'strategic patch: ports by number': [
    create(service({ ports: [servicePort(80), servicePort(81)] })),
    strategic({ spec: { ports: [{ port: 81, name: 'other' }] } }),
  ],
  'strategic patch: status': [
    create(service({ ports: [servicePort(80)] })),
    status(
      strategic({
        status: { conditions: [{ type: 'A', status: 'True', reason: 'X', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      }),
    ),
  ],
  'apply: ports of two managers': [
    apply('one', service({ ports: [servicePort(80)], selector: { a: 'b' } })),
    apply('two', { spec: { ports: [servicePort(443)], selector: { c: 'd' } } }),
    apply('two', { spec: { ports: [servicePort(443)], selector: { c: 'd' } } }, true),
    apply('one', service({})),
  ],
  'merge patch: selector': [
    create(service({ ports: [servicePort(80)], selector: { a: 'b' } })),
    merge({ spec: { selector: { c: 'd', a: null } } }),
  ],
};
