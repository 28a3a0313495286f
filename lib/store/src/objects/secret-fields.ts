import { timingSafeEqual } from 'node:crypto';
import { create, type DescField, type DescMessage, isMessage, type Message, ScalarType } from '@bufbuild/protobuf';
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
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const redactedBytes = encoder.encode(redacted);

/** Whether this is what stands in the place of a secret. */
export function isRedaction(value: Uint8Array): boolean {
  return value.length === redactedBytes.length && value.every((byte, index) => byte === redactedBytes[index]);
}

/** Those that `after` has anew, in place of one that is stored. */
export function sentSecrets<M extends StoredObject>(fields: readonly SecretField<M>[], before: M, after: M): readonly SecretField<M>[] {
  return fields.filter((field) => {
    const value = field.read(after);
    return value !== undefined && !isRedaction(value) && field.read(before) !== undefined;
  });
}

export function isEqualSecret(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * The paths of all fields of a type that its contract marks with `debug_redact`, in the order of the contract. A mark inside of a list, a map or a choice is a bug and
 * throws at once: such a secret could not be sealed.
 */
export function secretPathsOf(schema: DescMessage): readonly string[] {
  const paths: string[] = [];
  walk(schema, '', [schema], true);
  return paths;

  function walk(message: DescMessage, prefix: string, above: readonly DescMessage[], isPlain: boolean): void {
    for (const field of message.fields) {
      const path = `${prefix}${field.name}`;
      const isPlainHere = isPlain && field.oneof === undefined && (field.fieldKind === 'message' || field.fieldKind === 'scalar');
      if (field.proto.options?.debugRedact === true) {
        if (!isPlainHere)
          throw new StatusError('internal', `secret ${path} of ${schema.typeName} must lie outside of lists, maps and choices`);
        paths.push(path);
      } else if (field.message !== undefined && !above.includes(field.message)) {
        walk(field.message, `${path}.`, [...above, field.message], isPlainHere);
      }
    }
  }
}

/** The field at a path of a type. A path that names no singular text or bytes is a bug and throws at once. */
export function secretField<M extends StoredObject>(schema: DescMessage, path: string): SecretField<M> {
  const fields = fieldsAt(schema, path);
  const last = fields.at(-1);
  const isBytes = last?.fieldKind === 'scalar' && last.scalar === ScalarType.BYTES;
  const isPlain = fields.every((field) => field.oneof === undefined);
  if (last?.fieldKind !== 'scalar' || !(isBytes || last.scalar === ScalarType.STRING) || !isPlain) {
    throw new StatusError('internal', `secret path ${path} of ${schema.typeName} must lead to a single text or bytes outside of choices`);
  }
  const parents = fields.slice(0, -1);
  return {
    path,
    read: (message) => {
      const parent = parentOf(message, parents, { create: false });
      const value: unknown = parent === undefined ? undefined : Reflect.get(parent, last.localName);
      if (value instanceof Uint8Array) return value.length === 0 ? undefined : value;
      return typeof value === 'string' && value !== '' ? encoder.encode(value) : undefined;
    },
    write: (message, value) => {
      const parent = parentOf(message, parents, { create: value !== undefined });
      if (parent === undefined) return;
      const bytes = value ?? new Uint8Array();
      Reflect.set(parent, last.localName, isBytes ? new Uint8Array(bytes) : decoder.decode(bytes));
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

/** The message that holds the field. Plain properties: reflection costs more than the rest of a read. */
function parentOf(root: Message, parents: readonly DescField[], { create: mayCreate }: { readonly create: boolean }): Message | undefined {
  let message = root;
  for (const field of parents) {
    if (field.fieldKind !== 'message') return undefined;
    let part: unknown = Reflect.get(message, field.localName);
    if (!isMessage(part)) {
      if (!mayCreate) return undefined;
      part = create(field.message);
      Reflect.set(message, field.localName, part);
    }
    if (!isMessage(part)) return undefined;
    message = part;
  }
  return message;
}
