import { readFileSync } from 'node:fs';
import { badRequest } from '../../schema/api-status.ts';
import { type SchemaNode, schemaOf } from '../../schema/index.ts';
import { isObject, type Json, type JsonObject } from '../object/api-object.ts';

/**
 * Reads bodies in Kubernetes' protobuf form, in which kubectl and other Go clients send built-in kinds. Answers are always
 * JSON, which those clients take as well.
 *
 * Go writes fields of value types even when they are empty, so an empty text, a zero or a false cannot be told from an absent
 * one: they are left out, except for the numbers whose zero has a meaning of its own.
 */
const magic = Buffer.from('k8s\0', 'latin1');
const meaningfulZeros = new Set([
  'replicas',
  'gracePeriodSeconds',
  'terminationGracePeriodSeconds',
  'backoffLimit',
  'parallelism',
  'completions',
  'partition',
  'tolerationSeconds',
]);

type Field = readonly [number: number, name: string, type: string];
type Messages = Readonly<Record<string, readonly Field[]>>;

const envelope = 'k8s.io.apimachinery.pkg.runtime.Unknown';

/** Decodes bodies; reads its table of field numbers from disk at the first one. */
export class ProtobufBodies {
  #messages: Messages | undefined;

  parse(body: Buffer): JsonObject {
    if (!body.subarray(0, 4).equals(magic))
      throw badRequest('the body is not in the protobuf form of Kubernetes: it does not start with k8s\\0');
    const outer = this.#message(envelope, body.subarray(4), undefined);
    const { typeMeta, raw } = outer;
    const apiVersion = isObject(typeMeta) ? String(typeMeta['apiVersion'] ?? '') : '';
    const kind = isObject(typeMeta) ? String(typeMeta['kind'] ?? '') : '';
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const name = messageName(group, version, kind);
    if (this.#table[name] === undefined) throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}"`);
    const object = this.#message(name, Buffer.from(String(raw ?? ''), 'base64'), schemaOf(group, version, kind));
    return { ...object, apiVersion, kind };
  }

  get #table(): Messages {
    this.#messages ??= JSON.parse(readFileSync(new URL('vectors/protobuf.json', import.meta.url), 'utf8')) as Messages;
    return this.#messages;
  }

  #message(name: string, bytes: Buffer, schema: SchemaNode | undefined): JsonObject {
    const fields = new Map((this.#table[name] ?? []).map((field) => [field[0], field]));
    let result: Record<string, Json> = {};
    for (const { number, value } of wireFields(bytes)) {
      const field = fields.get(number);
      if (field === undefined) continue;
      const [, protoName, type] = field;
      const known = jsonName(protoName, schema);
      const below = known === undefined ? schema : schema?.properties?.[known];
      const decoded = this.#value(
        type.replace(/^(\[\]|\{\})/, ''),
        type.startsWith('{}'),
        value,
        type.startsWith('[]') ? below?.items : below,
      );
      if (decoded === undefined) continue;
      const jsonKey = known ?? protoName;
      if (type.startsWith('[]')) result[jsonKey] = [...((result[jsonKey] ?? []) as readonly Json[]), decoded];
      else if (type.startsWith('{}'))
        result[jsonKey] = { ...(isObject(result[jsonKey]) ? result[jsonKey] : {}), ...(decoded as JsonObject) };
      // A struct that Go embeds has no name in JSON: its fields stand where it stands.
      else if (known === undefined && schema !== undefined && isObject(decoded)) result = { ...result, ...decoded };
      else if (!isEmpty(decoded) || meaningfulZeros.has(jsonKey)) result[jsonKey] = decoded;
    }
    return result;
  }

  #value(type: string, isMap: boolean, value: bigint | Buffer, schema: SchemaNode | undefined): Json | undefined {
    if (isMap) {
      if (!Buffer.isBuffer(value)) throw malformed();
      const entry = new Map([...wireFields(value)].map((field) => [field.number, field.value]));
      const key = entry.get(1);
      const held = entry.get(2);
      const content = held === undefined ? '' : this.#value(type, false, held, schema?.additional);
      return { [Buffer.isBuffer(key) ? key.toString('utf8') : '']: content ?? null };
    }
    if (!Buffer.isBuffer(value)) return type === 'bool' ? value !== 0n : Number(BigInt.asIntN(64, value));
    switch (type) {
      case 'string':
        return value.toString('utf8');
      case 'bytes':
        return value.toString('base64');
      case 'double':
        return value.readDoubleLE(0);
      default:
        return this.#special(type.split('.').at(-1) ?? '', this.#message(type, value, schema));
    }
  }

  /** Types that JSON writes in a way of their own. */
  #special(name: string, object: JsonObject): Json | undefined {
    const { seconds = 0, nanos = 0 } = object;
    const decode = (text: Json | undefined): Json =>
      JSON.parse(Buffer.from(String(text ?? ''), 'base64').toString('utf8') || 'null') as Json;
    switch (name) {
      case 'Time':
        return seconds === 0 ? undefined : `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`;
      case 'MicroTime':
        return seconds === 0
          ? undefined
          : `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${String(Math.floor(Number(nanos) / 1000)).padStart(6, '0')}Z`;
      case 'Quantity':
        return object['string'] ?? '0';
      case 'IntOrString':
        return object['type'] === 1 ? (object['strVal'] ?? '') : (object['intVal'] ?? 0);
      case 'FieldsV1':
        return decode(object['Raw']);
      case 'RawExtension':
      case 'JSON':
        return decode(object['raw']);
      case 'ExtraValue':
        return object['items'] ?? [];
      default:
        return object;
    }
  }
}

const isEmpty = (value: Json): boolean => value === '' || value === 0 || value === false;

function messageName(group: string, version: string, kind: string): string {
  const [first = ''] = group.split('.');
  if (kind === 'DeleteOptions') return 'k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions';
  if (first === 'apiextensions') return `k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.${version}.${kind}`;
  return `k8s.io.api.${first === '' ? 'core' : first}.${version}.${kind}`;
}

/** The name of a field in JSON; undefined where the schema has none like it. */
function jsonName(name: string, schema: SchemaNode | undefined): string | undefined {
  const { properties } = schema ?? {};
  if (properties === undefined || Object.hasOwn(properties, name)) return name;
  return Object.keys(properties).find((each) => each.toLowerCase() === name.toLowerCase());
}

const malformed = () => badRequest('the protobuf body breaks off or is malformed');

function* wireFields(bytes: Buffer): Generator<{ readonly number: number; readonly value: bigint | Buffer }> {
  let offset = 0;
  const varint = (): bigint => {
    let [result, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[offset];
      if (byte === undefined || shift > 63n) throw malformed();
      offset += 1;
      result |= BigInt(byte & 127) << shift;
      if (byte < 128) return result;
      shift += 7n;
    }
  };
  const take = (length: number): Buffer => {
    if (offset + length > bytes.length) throw malformed();
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  while (offset < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    if (wire === 0) yield { number: tag >>> 3, value: varint() };
    else if (wire === 1) yield { number: tag >>> 3, value: take(8) };
    else if (wire === 2) yield { number: tag >>> 3, value: take(Number(varint())) };
    else if (wire === 5) yield { number: tag >>> 3, value: take(4) };
    else throw malformed();
  }
}
