import { apply, type Cases, create, json, merge, spec, status } from './patch-oracle-steps.ts';

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
