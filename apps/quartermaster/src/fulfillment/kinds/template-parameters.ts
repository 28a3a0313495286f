import { createRegistry, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import {
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from '@bufbuild/protobuf/wkt';
import { StatusError } from '@quartermaster/kernel';
import { isJsonObject, listAt, presentFields, textAt } from '../../text/json-path.ts';

/** The types that values of parameters may have. */
export const valueTypes = createRegistry(
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
);

/** `workers=3`, or with a class that the template does not give: `workers=3:gpu-large`. */
export function nodeSetOf(text: string): readonly [string, JsonObject] {
  const [, name, size, hostClass] = /^([^=:]+)=(\d{1,9})(?::(.+))?$/.exec(text) ?? [];
  if (name === undefined)
    throw new StatusError('invalid_argument', `--node-set "${text}" must be NAME=SIZE or NAME=SIZE:CLASS, such as workers=3`);
  return [name, presentFields({ size: Number(size), host_class: hostClass })];
}

/** `name=value` texts, each in the type that the template gives it. */
export function templateParameters(template: JsonObject, texts: readonly string[]): JsonObject {
  const definitions = listAt(template, 'parameters').filter(isJsonObject);
  const types = new Map(definitions.map((definition) => [textAt(definition, 'name'), textAt(definition, 'type')])); // name -> type
  return Object.fromEntries(
    texts.map((text) => {
      const [name, value] = pairOf(text, '--parameter');
      const type = types.get(name);
      if (type === undefined) {
        const known = types.size === 0 ? 'it has none' : `it has ${[...types.keys()].join(', ')}`;
        throw new StatusError('invalid_argument', `--parameter ${name}: the template has no such parameter: ${known}`);
      }
      return [name, typedValue(type, value)];
    }),
  );
}

/** A value of a parameter: a text where the type is one, else JSON. */
export function typedValue(type: string, text: string): JsonObject {
  const name = type.slice(type.lastIndexOf('/') + 1);
  if (valueTypes.getMessage(name) === undefined) {
    throw new StatusError('invalid_argument', `values of the type ${type} cannot be given by flags: write a file and use -f`);
  }
  const isText = ['StringValue', 'BytesValue', 'Timestamp', 'Duration'].some((each) => name === `google.protobuf.${each}`);
  return { '@type': `type.googleapis.com/${name}`, value: isText ? text : jsonOrText(text) };
}

function jsonOrText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** `name=value` as its two sides. */
export function pairOf(text: string, flag: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new StatusError('invalid_argument', `${flag} "${text}" must be NAME=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
}
