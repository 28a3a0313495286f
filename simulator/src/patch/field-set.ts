/**
 * Sets of fields as `managedFields` stores them (FieldsV1). A path is a list of elements, each in its stored form: `f:name` is a
 * field, `k:{"name":"a"}` an item of a list by its keys, `v:"a"` an item of a set by its value, `i:0` an item by its index.
 * A set holds paths; that it holds `a.b` says nothing about `a`.
 */
import { isObject, type Json, type JsonObject, objectOf } from '../schema/json.ts';

export type PathElement = string;
export type FieldPath = readonly PathElement[];

export class FieldSet {
  readonly #members: ReadonlySet<PathElement>;
  // element -> the paths below it; never empty
  readonly #children: ReadonlyMap<PathElement, FieldSet>;

  static readonly empty = new FieldSet(new Set(), new Map());

  private constructor(members: ReadonlySet<PathElement>, children: ReadonlyMap<PathElement, FieldSet>) {
    this.#members = members;
    this.#children = children;
  }

  static of(paths: Iterable<FieldPath>): FieldSet {
    const root: Branch = { members: new Set(), children: new Map() };
    for (const path of paths) {
      const last = path.at(-1);
      if (last === undefined) continue;
      let branch = root;
      for (const element of path.slice(0, -1)) branch = branchOf(branch, element);
      branch.members.add(last);
    }
    return FieldSet.#from(root);
  }

  static #from({ members, children }: Branch): FieldSet {
    return new FieldSet(members, new Map([...children].map(([element, branch]) => [element, FieldSet.#from(branch)])));
  }

  /** Reads FieldsV1. What is no field set reads as far as it is one. */
  static parse(fields: Json | undefined): FieldSet {
    if (!isObject(fields)) return FieldSet.empty;
    const known = parsed.get(fields);
    if (known !== undefined) return known;
    const set = FieldSet.#parse(fields);
    parsed.set(fields, set);
    written.set(set, fields);
    return set;
  }

  static #parse(fields: JsonObject): FieldSet {
    const members = new Set<PathElement>();
    const children = new Map<PathElement, FieldSet>();
    for (const [key, below] of Object.entries(fields)) {
      if (key === '.' || !isObject(below)) continue;
      const child = FieldSet.#parse(below);
      const element = canonical(key);
      if (child.isEmpty || Object.hasOwn(below, '.')) members.add(element);
      if (!child.isEmpty) children.set(element, child);
    }
    return new FieldSet(members, children);
  }

  get isEmpty(): boolean {
    return this.#members.size === 0 && this.#children.size === 0;
  }

  hasMember(element: PathElement): boolean {
    return this.#members.has(element);
  }

  has([first, ...rest]: FieldPath): boolean {
    if (first === undefined) return false;
    return rest.length === 0 ? this.#members.has(first) : this.below(first).has(rest);
  }

  /** The paths below an element. */
  below(element: PathElement): FieldSet {
    return this.#children.get(element) ?? FieldSet.empty;
  }

  union(other: FieldSet): FieldSet {
    const children = new Map(this.#children);
    for (const [element, set] of other.#children) children.set(element, this.below(element).union(set));
    return new FieldSet(new Set([...this.#members, ...other.#members]), children);
  }

  intersection(other: FieldSet): FieldSet {
    return this.#derive(both(this.#members, other.#members), (element, set) => set.intersection(other.below(element)));
  }

  /** Without the other's paths. What lies below one of them stays. */
  difference(other: FieldSet): FieldSet {
    return this.#derive(minus(this.#members, other.#members), (element, set) => set.difference(other.below(element)));
  }

  /** Without the other's paths and everything below them. */
  without(other: FieldSet): FieldSet {
    return this.#derive(minus(this.#members, other.#members), (element, set) =>
      other.#members.has(element) ? FieldSet.empty : set.without(other.below(element)),
    );
  }

  /** Only what begins with one of these elements. */
  startingWith(elements: ReadonlySet<PathElement>): FieldSet {
    return this.#derive(both(this.#members, elements), (element, set) => (elements.has(element) ? set : FieldSet.empty));
  }

  /** The same set with more members, chosen among the elements that have paths below them, on every level. */
  withParents(isParent: (path: FieldPath) => boolean, above: FieldPath = []): FieldSet {
    const members = new Set(this.#members);
    const children = new Map<PathElement, FieldSet>();
    for (const [element, set] of this.#children) {
      const path = [...above, element];
      if (isParent(path)) members.add(element);
      children.set(element, set.withParents(isParent, path));
    }
    return new FieldSet(members, children);
  }

  equals(other: FieldSet): boolean {
    return (
      this.#members.size === other.#members.size &&
      this.#children.size === other.#children.size &&
      minus(this.#members, other.#members).size === 0 &&
      [...this.#children].every(([element, set]) => set.equals(other.below(element)))
    );
  }

  /** Members before what is below them, in the order of elements. */
  *paths(above: FieldPath = []): Generator<FieldPath> {
    for (const element of [...this.#members].sort(compareElements)) yield [...above, element];
    for (const [element, set] of [...this.#children].sort(([a], [b]) => compareElements(a, b))) yield* set.paths([...above, element]);
  }

  toFieldsV1(): JsonObject {
    const known = written.get(this);
    if (known !== undefined) return known;
    const fields = this.#write();
    written.set(this, fields);
    return fields;
  }

  #write(): JsonObject {
    const elements = [...new Set([...this.#members, ...this.#children.keys()])].sort(compareElements);
    return objectOf(
      elements.map((element) => {
        const below = this.below(element);
        if (below.isEmpty) return [element, {}];
        const fields = below.#write();
        return [element, this.#members.has(element) ? { '.': {}, ...fields } : fields];
      }),
    );
  }

  #derive(members: ReadonlySet<PathElement>, keep: (element: PathElement, set: FieldSet) => FieldSet): FieldSet {
    const children = new Map<PathElement, FieldSet>();
    let isSame = members.size === this.#members.size;
    for (const [element, set] of this.#children) {
      const kept = keep(element, set);
      if (kept !== set) isSame = false;
      if (!kept.isEmpty) children.set(element, kept);
    }
    return isSame ? this : new FieldSet(members, children);
  }
}

interface Branch {
  readonly members: Set<PathElement>;
  readonly children: Map<PathElement, Branch>;
}

function branchOf({ children }: Branch, element: PathElement): Branch {
  const known = children.get(element);
  if (known !== undefined) return known;
  const branch: Branch = { members: new Set(), children: new Map() };
  children.set(element, branch);
  return branch;
}

// Objects are never changed in place, so that the owners of one write are read once and written as they were read.
const parsed = new WeakMap<JsonObject, FieldSet>();
const written = new WeakMap<FieldSet, JsonObject>();

const both = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): Set<T> => new Set([...a].filter((each) => b.has(each)));
const minus = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): Set<T> => new Set([...a].filter((each) => !b.has(each)));

export const fieldElement = (name: string): PathElement => `f:${name}`;
export const valueElement = (value: Json): PathElement => `v:${goJson(value)}`;

export function keyElement(keys: Iterable<readonly [string, Json]>): PathElement {
  return `k:${goJson(objectOf([...keys].sort(([a], [b]) => (a < b ? -1 : 1))))}`;
}

/** How messages write a path: `.spec.containers[name="main"].image`. */
export function pathText(path: FieldPath): string {
  return path.map(elementText).join('');
}

function elementText(element: PathElement): string {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return `.${rest}`;
  if (element.startsWith('v:')) return `[=${rest}]`;
  if (element.startsWith('i:')) return `[${rest}]`;
  const keys: unknown = JSON.parse(rest);
  const texts = isObject(keys) ? Object.entries(keys).map(([name, value]) => `${name}=${goJson(value)}`) : [];
  return `[${texts.join(',')}]`;
}

/** An element as this code writes it, however its writer ordered keys and escaped characters. */
function canonical(element: string): PathElement {
  if (!element.startsWith('k:') && !element.startsWith('v:')) return element;
  try {
    const value = JSON.parse(element.slice(2)) as Json;
    return element.startsWith('k:') && isObject(value) ? keyElement(Object.entries(value)) : valueElement(value);
  } catch {
    return element;
  }
}

const ranks = 'fkvi';

function compareElements(a: PathElement, b: PathElement): number {
  const byRank = ranks.indexOf(a.charAt(0)) - ranks.indexOf(b.charAt(0));
  if (byRank !== 0) return byRank;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** JSON as Go writes it: with the characters escaped that HTML knows. */
function goJson(value: Json): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, escape);
}
