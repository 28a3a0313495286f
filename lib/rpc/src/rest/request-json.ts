import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  ScalarType,
} from '@bufbuild/protobuf';
import { invalidFields, StatusError } from '@quartermaster/kernel';
import { jsonProblem } from './json-problem.ts';

/** Messages whose JSON is one text, so that a parameter can give them. */
const textMessages = new Set([
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
  'google.protobuf.FieldMask',
  'google.protobuf.StringValue',
  'google.protobuf.BytesValue',
  'google.protobuf.Int32Value',
  'google.protobuf.Int64Value',
  'google.protobuf.UInt32Value',
  'google.protobuf.UInt64Value',
]);

/** Whether one text can be its JSON, so that a parameter can give it. */
export const isTextMessage = (message: DescMessage): boolean => textMessages.has(message.typeName);

/**
 * The message of a JSON value. What does not fit is `invalid_argument`, with the field and what it must be. Fields are named without the given
 * prefix: as the object that the caller sent has them.
 */
export function messageFromJson(schema: DescMessage, json: JsonValue, registry: Registry, prefix = ''): Message {
  try {
    return fromJson(schema, json, { registry });
  } catch (cause) {
    const problem = jsonProblem(schema, json, registry);
    if (problem === undefined || problem.field === '') {
      throw new StatusError('invalid_argument', `request: ${problem?.description ?? 'cannot be read'}`, { cause });
    }
    const field = problem.field.startsWith(prefix) ? problem.field.slice(prefix.length) : problem.field;
    throw invalidFields([{ ...problem, field }]);
  }
}

/**
 * Puts a parameter's text where its field path leads, creating what is in between. Fields are named as in the contract or in camelCase.
 * Throws `invalid_argument` for a name that there is not and for a text that the field cannot hold.
 */
export function putParameter(target: JsonObject, schema: DescMessage, path: string, texts: readonly string[]): void {
  let [object, message] = [target, schema];
  const parts = path.split('.');
  for (const [index, part] of parts.entries()) {
    const field = message.fields.find((each) => each.name === part || each.jsonName === part);
    if (field === undefined) throw unknownParameter(path, message);
    if (index === parts.length - 1) {
      delete object[field.name];
      object[field.jsonName] = valueOf(field, path, texts);
      return;
    }
    if (field.fieldKind !== 'message') throw refuse(path, `${part} has no fields of its own`);
    const key = field.name in object ? field.name : field.jsonName;
    const inner = object[key] ?? {};
    if (typeof inner !== 'object' || Array.isArray(inner)) throw refuse(path, `${part} in the body is not an object`);
    object[key] = inner;
    [object, message] = [inner, field.message];
  }
}

function valueOf(field: DescField, path: string, texts: readonly string[]): JsonValue {
  if (field.fieldKind === 'map') throw refuse(path, 'a map cannot be passed as a parameter');
  if (field.fieldKind === 'list') return texts.map((text) => scalarOf(field, path, text));
  const [text, ...more] = texts;
  if (text === undefined || more.length > 0) throw refuse(path, 'takes one value');
  return scalarOf(field, path, text);
}

function scalarOf(field: DescField, path: string, text: string): JsonValue {
  if (field.message !== undefined) {
    if (isTextMessage(field.message)) return text;
    throw refuse(path, `name one of its fields: ${field.message.fields.map((each) => `${path}.${each.name}`).join(', ')}`);
  }
  if (field.enum !== undefined) return /^-?\d+$/.test(text) ? Number(text) : text;
  if (field.scalar !== ScalarType.BOOL) return text;
  if (text === 'true' || text === '') return true;
  if (text === 'false') return false;
  throw refuse(path, `"${text}" is neither true nor false`);
}

function unknownParameter(path: string, message: DescMessage): StatusError {
  const known = message.fields.map((field) => field.name);
  const list = known.length === 0 ? 'none is known here' : `must be one of ${known.join(', ')}`;
  return new StatusError('invalid_argument', `unknown parameter "${path}": ${list}`);
}

function refuse(path: string, rule: string): StatusError {
  return new StatusError('invalid_argument', `parameter "${path}": ${rule}`);
}
