/** Requests that no honest client sends, for every method of the service. */
import { create, type DescMethod, type DescService, type JsonValue, type Message, toBinary, toJson } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import { arbitraryMessage } from '@quartermaster/fulfillment/testing';
import { restBindings } from '@quartermaster/rpc';
import fc from 'fast-check';
import { filters, ids, jsons, orders, paths, strange, values } from './hostile-values.ts';
import { part } from './released-cli.ts';

/** One call over gRPC, as bytes. */
export interface HostileCall {
  readonly method: DescMethod;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** One call over REST. */
export interface HostileRestCall {
  readonly verb: string;
  readonly url: string;
  readonly body: string | undefined;
  readonly isStream: boolean;
}

/** What leads a request past the first look at it, to where it does something. */
const aims = fc.record({
  id: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('a1', 'b1', 'h-a', 'h-b', 'c', 't', 'hub') },
    { weight: 2, arbitrary: ids },
    fc.uuid(),
  ),
  filter: filters,
  order: orders,
  mask: fc.array(paths, { minLength: 1, maxLength: 3 }),
  keptPart: fc.nat(),
  limit: fc.integer({ min: 0, max: 3 }),
});
type Aims = typeof aims extends fc.Arbitrary<infer T> ? T : never;

/** Requests of a method: one in four with anything anywhere, the others with one strange part in a request that could be right. */
function requestsOf(method: DescMethod): fc.Arbitrary<Message> {
  const anything = arbitraryMessage(method.input, values);
  const aimed = fc.tuple(anything, aims).map(([message, aim]) => {
    steer(reflect(method.input, message, false), aim);
    return message;
  });
  return fc.oneof({ weight: 1, arbitrary: anything }, { weight: 3, arbitrary: aimed });
}

function steer(request: ReflectMessage, aim: Aims): void {
  for (const field of request.fields) {
    if (['id', 'cluster', 'object_id', 'source'].includes(field.name)) request.set(field, aim.id);
    else if (field.name === 'filter') request.set(field, aim.filter);
    else if (field.name === 'order') request.set(field, aim.order);
    else if (field.name === 'limit') request.set(field, aim.limit);
    else if (['cursor', 'token', 'offset', 'version'].includes(field.name)) request.clear(field);
    else if (field.name === 'update_mask' && aim.keptPart % 3 > 0) {
      request.set(field, reflect(FieldMaskSchema, create(FieldMaskSchema, { paths: aim.mask }), false));
    } else if (field.name === 'object') steerObject(request, aim);
  }
}

/** One part of the object stays as it is. */
function steerObject(request: ReflectMessage, { id, keptPart }: Aims): void {
  const field = request.fields.find(({ name }) => name === 'object');
  const object = field === undefined ? undefined : request.get(field);
  if (field === undefined || !isReflectMessage(object)) return;
  const kept = object.fields[keptPart % object.fields.length];
  for (const each of object.fields) {
    if (each.name === 'id') object.set(each, id);
    else if (each !== kept) object.clear(each);
  }
  request.set(field, object);
}

/** Bytes of requests: well-formed ones, some of them with bytes changed, cut off or added, and some that are noise. */
export function hostileCalls(services: readonly DescService[]): fc.Arbitrary<HostileCall> {
  const methods = services.flatMap((service) => service.methods);
  return fc.constantFrom(...methods).chain((method) => {
    const formed = requestsOf(method).map((message) => toBinary(method.input, message));
    const damaged = fc.tuple(formed, fc.nat(), fc.nat(255), fc.constantFrom('change', 'cut', 'add')).map(([bytes, at, byte, how]) => {
      const index = bytes.length === 0 ? 0 : at % bytes.length;
      if (how === 'cut') return bytes.slice(0, index);
      if (how === 'add') return Uint8Array.of(...bytes.subarray(0, index), byte, ...bytes.subarray(index));
      return bytes.map((each, position) => (position === index ? byte : each));
    });
    const noise = fc.uint8Array({ maxLength: 200 });
    const bytes = fc.oneof({ weight: 6, arbitrary: formed }, { weight: 2, arbitrary: damaged }, { weight: 1, arbitrary: noise });
    const path = `/${method.parent.typeName}/${method.name}`;
    return bytes.map((each) => ({ method, path, bytes: each }));
  });
}

/** The same over REST: bodies with values of the wrong types, broken JSON, queries and path segments that are nothing. */
export function hostileRestCalls(services: readonly DescService[]): fc.Arbitrary<HostileRestCall> {
  const routes = services.flatMap(({ methods }) =>
    methods.flatMap((method) => restBindings(method).map((binding) => ({ method, binding }))),
  );
  const segment = fc.oneof({ weight: 4, arbitrary: ids }, { weight: 1, arbitrary: strange.filter((text) => text.length < 400) });
  return fc.constantFrom(...routes).chain(({ method, binding }) => {
    const whole = requestsOf(method).map((made) => part(safeJson(() => toJson(method.input, made, { useProtoFieldName: true }))));
    const object = binding.body === '' || binding.body === '*' ? whole : whole.map((json) => part(json[binding.body]));
    const name = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...method.input.fields.map((field) => field.name), 'update_mask', 'object.id') },
      { weight: 1, arbitrary: fc.string({ maxLength: 5 }) },
    );
    const value = fc.oneof(
      { weight: 4, arbitrary: filters },
      paths,
      orders,
      ids,
      strange.filter((text) => text.length < 1000),
    );
    const query = fc.oneof(
      { weight: 2, arbitrary: aims.map(({ filter, order, limit, mask }) => queryFor(method, { filter, order, limit, update_mask: mask })) },
      { weight: 1, arbitrary: fc.dictionary(name, value, { maxKeys: 2 }) },
    );
    const wrong = fc.tuple(object, fc.nat(), jsons).map(([json, at, other]) => withValueAt(json, at, other));
    const texts = fc.oneof(
      { weight: 4, arbitrary: object.map((json) => JSON.stringify(json)) },
      { weight: 3, arbitrary: wrong.map((json) => JSON.stringify(json)) },
      { weight: 1, arbitrary: jsons.map((json) => JSON.stringify(json)) },
      { weight: 1, arbitrary: fc.tuple(object, fc.nat()).map(([json, at]) => cut(JSON.stringify(json), at)) },
    );
    return fc.record({ query, segment, body: texts }).map(({ query: parameters, segment: id, body }) => {
      const named = Object.entries(parameters).map(([key, text]) => `${encoded(key)}=${encoded(text)}`);
      const path = binding.path.replace(/\{[^}]+\}/g, encoded(id));
      return {
        verb: binding.verb,
        url: named.length === 0 ? path : `${path}?${named.join('&')}`,
        body: binding.verb === 'GET' || binding.verb === 'DELETE' ? undefined : body,
        isStream: method.methodKind === 'server_streaming',
      };
    });
  });
}

/** Those that the method has. */
function queryFor(method: DescMethod, all: Readonly<Record<string, string | number | readonly string[]>>): Record<string, string> {
  const known = Object.entries(all).filter(([name]) => method.input.fields.some((field) => field.name === name));
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]));
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
const cut = (text: string, at: number): string => text.slice(0, at % (text.length + 1));

/** An Any of an unknown type has no JSON. */
function safeJson(make: () => JsonValue): JsonValue {
  try {
    return make();
  } catch {
    return { id: 'a1' };
  }
}

/** The JSON with one of its values, wherever it is, replaced. */
function withValueAt(json: unknown, at: number, value: unknown): unknown {
  if (typeof json !== 'object' || json === null) return value;
  const entries = Object.entries(json);
  const [key, inner] = entries[at % Math.max(1, entries.length)] ?? ['id', ''];
  const isDeeper = typeof inner === 'object' && inner !== null && at % 3 !== 0;
  const replaced = isDeeper ? withValueAt(inner, Math.floor(at / 3), value) : value;
  return Array.isArray(json) ? json.map((each: unknown, index) => (String(index) === key ? replaced : each)) : { ...json, [key]: replaced };
}
