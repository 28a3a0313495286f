import { parseQuantity, StatusError } from '@quartermaster/kernel';

/*
 * Of what type the parts of an object must be that are read of it. A shape is declared for a type and mentions every field of it, optional where the type
 * has it so: the compiler refuses one that lacks a field which somebody may read. Fields that the type does not have may be anything. A field that is null is
 * absent; members of lists and maps may not be.
 */
export interface Shape<T> {
  /** The value without its fields that are null; the same one where there are none. */
  read(value: unknown): T | Wrong;
  /** All fields in it, as `spec.taints[].key`; members of maps as `spec.capacity{}`. */
  readonly paths: readonly string[];
}

interface Optional<T> {
  readonly ifThere: Shape<T>;
}

type ShapesOf<T> = {
  // biome-ignore lint/complexity/noBannedTypes: only the empty type tells optional fields from those that may be undefined
  readonly [K in keyof T]-?: {} extends Pick<T, K> ? Optional<Exclude<T[K], undefined>> : Shape<T[K]>;
};

/** What is wrong with a value: the path from it, and a rule. */
class Wrong {
  readonly path: string;
  readonly rule: string;

  constructor(path: string, rule: string) {
    this.path = path;
    this.rule = rule;
  }

  in(part: string): Wrong {
    return new Wrong(`${part}${this.path}`, this.rule);
  }
}

export const text = leaf<string>('a text', (value) => typeof value === 'string');
/** Of a PCI vendor or product, as sysfs writes it: it becomes a part of labels. */
export const pciId = leaf<string>('four lower-case hex digits', (value) => typeof value === 'string' && /^[0-9a-f]{4}$/.test(value));
export const flag = leaf<boolean>('true or false', (value) => typeof value === 'boolean');
/** For shares and settings; amounts are whole. */
export const share = leaf<number>('a number, not negative', (value) => Number.isFinite(value) && Number(value) >= 0);
export const whole = leaf<number>(
  'a whole number, not negative and less than 2^53',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
/** Which nobody counts with. */
export const integer = leaf<number>('a whole number', (value) => Number.isInteger(value));
/** Of bytes or pieces. */
export const quantity = leaf<string>('a quantity, not negative and less than 2^53', isQuantity);
/** For what is looked at later: whatever is no text becomes one. */
export const anyText: Shape<string> = { read: (value) => (typeof value === 'string' ? value : JSON.stringify(value)), paths: [''] };

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  return leaf<T>(`one of ${values.join(', ')}`, (value) => values.some((each) => each === value));
}

export function listOf<T>(member: Shape<T>): Shape<readonly T[]> {
  return {
    paths: member.paths.map((path) => `[]${path}`),
    read: (value) => {
      if (!Array.isArray(value)) return notAList;
      let changed: T[] | undefined;
      for (let index = 0; index < value.length; index += 1) {
        const read = member.read(value[index]);
        if (read instanceof Wrong) return read.in(`[${index}]`);
        if (read !== value[index]) changed ??= value.slice(0, index);
        changed?.push(read);
      }
      return changed ?? (value as readonly T[]);
    },
  };
}

/** By any keys. */
export function mapOf<T>(member: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    paths: member.paths.map((path) => `{}${path}`),
    read: (value) => {
      if (!isObject(value)) return notAnObject;
      let changed: Map<string, unknown> | undefined;
      for (const key of Object.keys(value)) {
        const read = member.read(value[key]);
        if (read instanceof Wrong) return read.in(`.${key}`);
        if (read !== value[key]) changed = (changed ?? new Map()).set(key, read);
      }
      return withChanged(value, changed) as Readonly<Record<string, T>>;
    },
  };
}

export function object<T extends object>(shapes: ShapesOf<NoInfer<T>>): Shape<T> {
  const fields = Object.entries<Shape<unknown> | Optional<unknown>>(shapes).map(([name, shape]) =>
    'ifThere' in shape ? { name, shape: shape.ifThere, isOptional: true } : { name, shape, isOptional: false },
  );
  return {
    paths: fields.flatMap(({ name, shape }) => shape.paths.map((path) => `.${name}${path}`)),
    read: (value) => {
      if (!isObject(value)) return notAnObject;
      let changed: Map<string, unknown> | undefined;
      for (const { name, shape, isOptional } of fields) {
        const field = value[name];
        if (field === undefined || field === null) {
          if (!isOptional) return new Wrong(`.${name}`, 'must be there');
          if (field === null) changed = (changed ?? new Map()).set(name, undefined);
          continue;
        }
        const read = shape.read(field);
        if (read instanceof Wrong) return read.in(`.${name}`);
        if (read !== field) changed = (changed ?? new Map()).set(name, read);
      }
      return withChanged(value, changed) as T;
    },
  };
}

/** For a field that may be absent. */
export function optional<T>(shape: Shape<T>): Optional<T> {
  return { ifThere: shape };
}

interface Identity {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/** What every cache has of an object, for the shape of one that it is read of. */
export const identity = optional(object<Identity>({ name: optional(text), namespace: optional(text) }));

/** An object with no more metadata than that. */
export type Read<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & { readonly metadata?: Identity | undefined };

/** A projection that takes objects of any shape, with the fields that it reads. */
export type ShapedProjection<P> = ((object: unknown) => P) & { readonly paths: readonly string[] };

/**
 * The same projection for objects of any shape: it throws `invalid_argument` naming the first field that is not as the shape says. What a server stores of
 * a kind without a strict schema may be anything, and one odd object must not reach those who count.
 */
export function shaped<T, P>(shape: Shape<T>, project: (object: NoInfer<T>) => P): ShapedProjection<P> {
  const projection = (given: unknown): P => {
    const read = shape.read(given);
    if (!(read instanceof Wrong)) return project(read);
    throw new StatusError('invalid_argument', `${read.path.replace(/^\./, '') || 'the object'} ${read.rule}`);
  };
  return Object.assign(projection, { paths: shape.paths });
}

const notAList = new Wrong('', 'must be a list');
const notAnObject = new Wrong('', 'must be an object');

function leaf<T>(type: string, isOne: (value: unknown) => boolean): Shape<T> {
  const wrong = new Wrong('', `must be ${type}`);
  return { paths: [''], read: (value) => (isOne(value) ? (value as T) : wrong) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What became undefined is left out. */
function withChanged(value: Readonly<Record<string, unknown>>, changed: ReadonlyMap<string, unknown> | undefined): object {
  if (changed === undefined) return value;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => [name, changed.has(name) ? changed.get(name) : field]);
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
}

const maxNanos = BigInt(Number.MAX_SAFE_INTEGER) * 1_000_000_000n;

function isQuantity(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    const { nanos } = parseQuantity(value);
    return nanos >= 0n && nanos <= maxNanos;
  } catch {
    return false;
  }
}
