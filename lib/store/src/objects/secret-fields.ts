import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { StatusError } from '@quartermaster/kernel';
import type { StoredObject } from './stored-object.ts';
import { redacted } from './stored-object.ts';

/** One secret field of a type. */
export interface SecretField<M extends StoredObject> {
  /** `spec.bmc.password` */
  readonly path: string;
  /** Undefined when it is not set. */
  read(message: M): Uint8Array | undefined;
  /** Changes the message in place. Undefined clears it. */
  write(message: M, value: Uint8Array | undefined): void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export const redactedBytes = encoder.encode(redacted);

/** Whether this is what stands in the place of a secret. */
export function isRedaction(value: Uint8Array): boolean {
  return value.length === redactedBytes.length && value.every((byte, index) => byte === redactedBytes[index]);
}

/** The field at a path of a type. A path that names no singular text or bytes is a bug and throws at once. */
export function secretField<M extends StoredObject>(schema: DescMessage, path: string): SecretField<M> {
  const fields = fieldsAt(schema, path);
  const last = fields.at(-1);
  const isBytes = last?.fieldKind === 'scalar' && last.scalar === ScalarType.BYTES;
  if (last?.fieldKind !== 'scalar' || !(isBytes || last.scalar === ScalarType.STRING)) {
    throw new StatusError('internal', `secret path ${path} of ${schema.typeName} must lead to a single text or bytes`);
  }
  const parents = fields.slice(0, -1);
  return {
    path,
    read: (message) => {
      const parent = parentOf(reflect(schema, message), parents, { create: false });
      const value = parent?.get(last);
      if (value instanceof Uint8Array) return value.length === 0 ? undefined : value;
      return typeof value === 'string' && value !== '' ? encoder.encode(value) : undefined;
    },
    write: (message, value) => {
      const parent = parentOf(reflect(schema, message), parents, { create: value !== undefined });
      if (value === undefined) parent?.clear(last);
      else parent?.set(last, isBytes ? new Uint8Array(value) : decoder.decode(value));
    },
  };
}

function fieldsAt(schema: DescMessage, path: string): DescField[] {
  const fields: DescField[] = [];
  let message: DescMessage | undefined = schema;
  for (const name of path.split('.')) {
    const field: DescField | undefined = message?.fields.find((each) => each.name === name);
    if (field === undefined) throw new StatusError('internal', `secret path ${path}: ${schema.typeName} has no field ${name} there`);
    fields.push(field);
    message = field.fieldKind === 'message' ? field.message : undefined;
  }
  return fields;
}

function parentOf(
  root: ReflectMessage,
  parents: readonly DescField[],
  { create }: { readonly create: boolean },
): ReflectMessage | undefined {
  let message = root;
  for (const field of parents) {
    if (field.fieldKind !== 'message') return undefined;
    if (!message.isSet(field)) {
      if (!create) return undefined;
      message.set(field, reflect(field.message));
    }
    message = message.get(field);
  }
  return message;
}
