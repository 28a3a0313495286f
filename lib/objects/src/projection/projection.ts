import { clone, create, type DescField, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import type { PathPattern } from '../masks/index.ts';

/**
 * What the public API shows of a kind. Fields correspond by name: what has no field in the public type does not exist there, in responses,
 * filters, orders, masks or events, and what exists there is at the same path as in the private type.
 */
export interface Projection<Public extends DescMessage, Private extends DescMessage> {
  readonly publicSchema: Public;
  readonly privateSchema: Private;
  /** The object as the public API shows it. May share parts that have the same type in both with `object`. */
  toPublic(object: MessageShape<Private>): MessageShape<Public>;
  /**
   * The private object that has the public one's values wherever the public API reaches, and the stored one's everywhere else. An entry of a map that
   * is gone is gone with all that it had. Without a stored object the rest is empty. A new message.
   */
  toPrivate(object: MessageShape<Public>, stored: MessageShape<Private> | undefined): MessageShape<Private>;
  /** Every place of the public type, as patterns of paths. */
  readonly publicPaths: readonly PathPattern[];
  /** Places that are not shown in every object: filters and orders, which ask the private one, cannot name them. */
  readonly unfilterable: readonly string[];
}

/** One field and its counterpart, with the same for their parts where the types of these differ. */
interface FieldPair {
  readonly from: DescField;
  readonly to: DescField;
  readonly parts: Plan | undefined;
}

interface Plan {
  readonly to: DescMessage;
  readonly pairs: readonly FieldPair[];
}

/** Throws when the public type has a field that the private type lacks or has in another form: that is a mistake in the contract. */
export function projectionOf<Public extends DescMessage, Private extends DescMessage>(
  publicSchema: Public,
  privateSchema: Private,
): Projection<Public, Private> {
  const down = planOf(privateSchema, publicSchema, publicSchema);
  const up = planOf(publicSchema, privateSchema, publicSchema);
  return {
    publicSchema,
    privateSchema,
    publicPaths: pathsOf(publicSchema, ''),
    unfilterable: [],
    toPublic(object) {
      const result = create(publicSchema);
      copy(reflect(privateSchema, object, false), reflect(publicSchema, result, false), down);
      return result;
    },
    toPrivate(object, stored) {
      const result = stored === undefined ? create(privateSchema) : clone(privateSchema, stored);
      copy(reflect(publicSchema, clone(publicSchema, object), false), reflect(privateSchema, result, false), up);
      return result;
    },
  };
}

/** The pairs of all fields of `narrow`, which is either `from` or `to`. */
function planOf(from: DescMessage, to: DescMessage, narrow: DescMessage): Plan {
  const pairs = narrow.fields.map((field): FieldPair => {
    const [source, target] = [fieldOf(from, field.name), fieldOf(to, field.name)];
    if (source === undefined || target === undefined || formOf(source) !== formOf(target)) {
      throw new Error(`${narrow.typeName}.${field.name} has no counterpart in ${narrow === from ? to.typeName : from.typeName}`);
    }
    return { from: source, to: target, parts: partsOf(source, target, narrow === from) };
  });
  return { to, pairs };
}

function partsOf(from: DescField, to: DescField, isFromNarrow: boolean): Plan | undefined {
  const [source, target] = [from.message, to.message];
  if (source === undefined || target === undefined || source.typeName === target.typeName) return undefined;
  return planOf(source, target, isFromNarrow ? source : target);
}

const fieldOf = (message: DescMessage, name: string): DescField | undefined => message.fields.find((field) => field.name === name);

/** Two fields of the same form can hold the same values, but for what differs in the messages in them. */
function formOf(field: DescField): string {
  switch (field.fieldKind) {
    case 'scalar':
      return `scalar ${field.scalar}`;
    case 'map':
      return `map ${field.mapKey} ${field.mapKind} ${field.scalar}`;
    case 'list':
      return `list ${field.listKind} ${field.scalar}`;
    case 'message':
    case 'enum':
      return field.fieldKind;
  }
}

function pathsOf(message: DescMessage, prefix: string): PathPattern[] {
  return message.fields.flatMap((field) => {
    const path = prefix + field.name;
    if (field.message === undefined || field.message.typeName.startsWith('google.protobuf.')) return [path];
    return pathsOf(field.message, field.fieldKind === 'message' ? `${path}.` : `${path}.*.`);
  });
}

function copy(source: ReflectMessage, target: ReflectMessage, plan: Plan): void {
  for (const { from, to, parts } of plan.pairs) {
    if (parts !== undefined) copyParts(source, target, from, to, parts);
    else if (source.isSet(from)) target.set(to, source.get(from));
    else target.clear(to);
  }
}

function copyParts(source: ReflectMessage, target: ReflectMessage, from: DescField, to: DescField, plan: Plan): void {
  if (from.fieldKind === 'message' && to.fieldKind === 'message') {
    if (!source.isSet(from) && !target.isSet(to)) return;
    const part = target.get(to);
    copy(source.get(from), part, plan);
    target.set(to, part);
  } else if (from.fieldKind === 'list' && to.fieldKind === 'list') {
    const list = target.get(to);
    list.clear();
    for (const item of source.get(from)) list.add(copied(item, undefined, plan));
  } else if (from.fieldKind === 'map' && to.fieldKind === 'map') {
    const [given, map] = [source.get(from), target.get(to)];
    for (const key of [...map.keys()]) if (!given.has(key)) map.delete(key);
    for (const [key, value] of given) map.set(key, copied(value, map.get(key), plan));
  }
}

function copied(value: unknown, kept: unknown, plan: Plan): ReflectMessage {
  const target = isReflectMessage(kept) ? kept : reflect(plan.to, undefined, false);
  if (isReflectMessage(value)) copy(value, target, plan);
  return target;
}
