import { clone, create, type DescField, type DescMessage, equals, type MessageShape } from '@bufbuild/protobuf';
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
  /** Every place of the public type that is shown, as patterns of paths. */
  readonly publicPaths: readonly PathPattern[];
  /** Places that the public type has and that are never shown, without keys and indexes: filters and orders, which ask the private object, cannot name them. */
  readonly unfilterable: readonly string[];
}

export interface ProjectionOptions {
  /** Places that the public type has and that nobody is shown or may write there. */
  readonly withholds?: ((path: PathPattern) => boolean) | undefined;
  /** Of a place, which of its values nobody is shown or may write there; undefined where all are shown. */
  readonly hides?: ((path: PathPattern) => HidesValue | undefined) | undefined;
}

type HidesValue = (value: unknown) => boolean;

/** One field and its counterpart, with the same for their parts where the types of these differ. */
interface FieldPair {
  readonly from: DescField;
  readonly to: DescField;
  readonly parts: Plan | undefined;
  readonly isHidden: HidesValue | undefined;
}

interface Plan {
  readonly to: DescMessage;
  readonly pairs: readonly FieldPair[];
}

/** Throws when the public type has a field that the private type lacks or has in another form: that is a mistake in the contract. */
export function projectionOf<Public extends DescMessage, Private extends DescMessage>(
  publicSchema: Public,
  privateSchema: Private,
  { withholds = () => false, hides = () => undefined }: ProjectionOptions = {},
): Projection<Public, Private> {
  const down = planOf({ from: privateSchema, to: publicSchema, narrow: publicSchema, prefix: '', withholds, hides });
  const up = planOf({ from: publicSchema, to: privateSchema, narrow: publicSchema, prefix: '', withholds, hides });
  const paths = pathsOf(publicSchema, '');
  return {
    publicSchema,
    privateSchema,
    publicPaths: paths.filter((path) => !withholds(path)),
    unfilterable: paths.filter(withholds).map((path) => path.replaceAll('.*', '')),
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

interface PlanOptions {
  readonly from: DescMessage;
  readonly to: DescMessage;
  /** Either of the two: all of its fields are paired. */
  readonly narrow: DescMessage;
  readonly prefix: string;
  readonly withholds: (path: PathPattern) => boolean;
  readonly hides: (path: PathPattern) => HidesValue | undefined;
}

function planOf({ from, to, narrow, prefix, withholds, hides }: PlanOptions): Plan {
  const isPartial = (path: PathPattern): boolean => withholds(path) || hides(path) !== undefined;
  const pairs = narrow.fields.flatMap((field): FieldPair[] => {
    const [source, target] = [fieldOf(from, field.name), fieldOf(to, field.name)];
    if (source === undefined || target === undefined || formOf(source) !== formOf(target)) {
      throw new Error(`${narrow.typeName}.${field.name} has no counterpart in ${narrow === from ? to.typeName : from.typeName}`);
    }
    const path = prefix + field.name;
    if (withholds(path)) return [];
    const [inner, outer] = [source.message, target.message];
    const isHidden = hides(path);
    if (inner === undefined || outer === undefined || isShared(inner, outer, pathBelow(field, path), isPartial))
      return [{ from: source, to: target, parts: undefined, isHidden }];
    const below = { from: inner, to: outer, narrow: narrow === from ? inner : outer, prefix: pathBelow(field, path) };
    return [{ from: source, to: target, parts: planOf({ ...below, withholds, hides }), isHidden }];
  });
  return { to, pairs };
}

/** Whether a part is the same in both: its type is, and nothing in it is kept back. */
function isShared(one: DescMessage, other: DescMessage, prefix: string, isPartial: (path: PathPattern) => boolean): boolean {
  return one.typeName === other.typeName && !(isOurs(one) && pathsOf(one, prefix).some(isPartial));
}

const isOurs = (message: DescMessage): boolean => !message.typeName.startsWith('google.protobuf.');

const pathBelow = (field: DescField, path: string): string => (field.fieldKind === 'message' ? `${path}.` : `${path}.*.`);

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
    if (field.message === undefined || !isOurs(field.message)) return [path];
    return pathsOf(field.message, pathBelow(field, path));
  });
}

function copy(source: ReflectMessage, target: ReflectMessage, plan: Plan): void {
  for (const { from, to, parts, isHidden } of plan.pairs) {
    if (parts !== undefined) copyParts(source, target, from, to, parts);
    else if (source.isSet(from) && isHidden?.(source.get(from)) !== true) target.set(to, source.get(from));
    // Where a stored value is not shown, nothing comes back in its place.
    else if (isHidden?.(target.get(to)) !== true) target.clear(to);
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
    const before = [...list];
    list.clear();
    for (const [index, item] of [...source.get(from)].entries())
      list.add(unchanged(item, before[index], plan) ?? copied(item, undefined, plan));
  } else if (from.fieldKind === 'map' && to.fieldKind === 'map') {
    const [given, map] = [source.get(from), target.get(to)];
    for (const key of [...map.keys()]) if (!given.has(key)) map.delete(key);
    for (const [key, value] of given) map.set(key, copied(value, map.get(key), plan));
  }
}

/** Elements have no identity: one keeps what is not shown of it only while all that is shown stays, in its place. */
function unchanged(value: unknown, kept: unknown, plan: Plan): ReflectMessage | undefined {
  if (!isReflectMessage(value) || !isReflectMessage(kept)) return undefined;
  const written = copied(value, reflect(plan.to, clone(plan.to, kept.message), false), plan);
  return equals(plan.to, written.message, kept.message) ? kept : undefined;
}

function copied(value: unknown, kept: unknown, plan: Plan): ReflectMessage {
  const target = isReflectMessage(kept) ? kept : reflect(plan.to, undefined, false);
  if (isReflectMessage(value)) copy(value, target, plan);
  return target;
}
