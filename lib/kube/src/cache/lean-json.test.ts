import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLean, peekContinue } from './lean-json.ts';

const buffer = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const anyKey = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('}]', '}],"', 'v:"}]"', 'k:{"a":[{}]}', ']}', '}]},"spec":{'));

/** Fields as the server writes them, nested maps and no lists, with keys of any text. */
const fields = fc.dictionary(anyKey, fc.dictionary(anyKey, fc.dictionary(anyKey, fc.constant({}), { maxKeys: 2 }), { maxKeys: 2 }), {
  maxKeys: 3,
});

const managedFields = fc.array(fc.record({ manager: fc.string({ unit: 'binary' }), operation: fc.constant('Apply'), fieldsV1: fields }), {
  minLength: 1,
  maxLength: 3,
});

const metadata = fc.record({ name: fc.string({ unit: 'binary' }), labels: fc.dictionary(fc.string(), fc.string()) });
const spec = fc.object();

describe('parseLean', () => {
  it('gives everything but managedFields, wherever they stand and whatever the strings hold', () => {
    fc.assert(
      fc.property(metadata, managedFields, spec, fc.constantFrom('first', 'middle', 'last'), (meta, managed, rest, place) => {
        const { name, labels } = meta;
        const orders = {
          first: { managedFields: managed, name, labels },
          middle: { name, managedFields: managed, labels },
          last: { name, labels, managedFields: managed },
        };
        const parsed = parseLean(buffer({ type: 'ADDED', object: { metadata: orders[place], spec: rest } })) as {
          object: { metadata: { managedFields?: unknown } };
        };
        const { managedFields: left, ...others } = parsed.object.metadata;
        expect({ ...parsed, object: { ...parsed.object, metadata: others } }).toEqual(
          JSON.parse(JSON.stringify({ type: 'ADDED', object: { metadata: { name, labels }, spec: rest } })),
        );
        // They stay only where a string in them looks like their end.
        if (left !== undefined) expect(JSON.stringify(managed)).toContain('}]');
      }),
      { numRuns: 500 },
    );
  });

  it('cuts them out of every item of a list', () => {
    const item = (name: string) => ({ metadata: { name, managedFields: [{ manager: 'm', fieldsV1: { 'f:spec': {} } }] }, spec: {} });
    const list = { kind: 'PodList', items: [item('a'), item('b'), { metadata: { name: 'c' } }] };
    expect(parseLean(buffer(list))).toEqual({
      kind: 'PodList',
      items: [{ metadata: { name: 'a' }, spec: {} }, { metadata: { name: 'b' }, spec: {} }, { metadata: { name: 'c' } }],
    });
  });

  it('leaves a text that only speaks of managedFields alone', () => {
    const object = { metadata: { annotations: { applied: '{"metadata":{"managedFields":[{}]}}' } } };
    expect(parseLean(buffer(object))).toEqual(object);
  });

  it('takes nothing else away where managedFields are empty', () => {
    const object = { metadata: { managedFields: [] }, spec: { ports: [{ port: 1 }] } };
    expect(parseLean(buffer(object))).toEqual(object);
  });

  it('refuses what is no JSON', () => {
    expect(() => parseLean(Buffer.from('{"metadata":{"managedFields":[{"manager"'))).toThrow(SyntaxError);
    expect(() => parseLean(Buffer.from('{'))).toThrow(SyntaxError);
  });
});

describe('peekContinue', () => {
  it('reads the token off the head of a list', () => {
    const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'eyJ2Ijo=' }, items: [{}] };
    expect(peekContinue(buffer(list))).toBe('eyJ2Ijo=');
  });

  it.each([
    ['the last page', { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [] }],
    ['an empty token', { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: '' }, items: [] }],
    ['a list of custom resources', { apiVersion: 'v1', items: [], kind: 'WidgetList', metadata: { continue: 'x' } }],
    ['no list', { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' }],
  ])('finds none in %s', (_, list) => {
    expect(peekContinue(buffer(list))).toBeUndefined();
  });
});
