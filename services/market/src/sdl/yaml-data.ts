import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type ParsedNode,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { type FaultList, pointer, quoted } from './fault-list.ts';

/** An SDL is nine levels deep. */
const maxDepth = 32;
/** With what aliases repeat. */
const maxNodes = 10_000;
const maxCharacters = 512 * 1024;
const maxKeyLength = 253;

/**
 * What is text for us, and a number or a date for other readers of YAML, the library's among them. An SDL must mean the same to all of
 * them, or its hash means nothing.
 */
const ambiguous =
  /^(?:[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9.][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?)|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?)$/;

/** Prices are kept as they are written: as numbers they would lose digits. */
const isAmount = (keys: readonly (string | number)[]): boolean =>
  keys.length === 6 && keys[0] === 'profiles' && keys[1] === 'placement' && keys[3] === 'pricing' && keys[5] === 'amount';

export type Data = null | boolean | number | string | Data[] | { [key: string]: Data };

/** The plain data of a YAML document, with aliases repeated. */
export interface YamlData {
  readonly data: Data;
  /** What each alias stands for. */
  readonly targets: ReadonlyMap<Alias, Node>;
}

/** Objects have no prototype: no name of the SDL finds what it did not declare. Undefined once something is refused. */
export function dataOf(document: Document.Parsed, faults: FaultList): YamlData | undefined {
  const reader = new DataReader(faults);
  const data = document.contents === null ? null : reader.read(document.contents);
  return faults.isEmpty ? { data, targets: reader.targets } : undefined;
}

class DataReader {
  readonly targets = new Map<Alias, Node>();
  readonly #faults: FaultList;
  readonly #anchors = new Map<string, Node>(); // by the latest node that has it so far, as aliases mean it
  readonly #keys: (string | number)[] = []; // of the node that is being read
  #nodes = 0;
  #characters = 0;

  constructor(faults: FaultList) {
    this.#faults = faults;
  }

  read(node: ParsedNode | Node | null): Data {
    if (node === null || this.#faults.isFull || !this.#hasRoom()) return null;
    if (isAlias(node)) return this.#readAlias(node);
    // What is refused is not repeated: it may be a password that wants quotes.
    if (node.tag !== undefined)
      this.#refuse('TagRefused', 'a tag, which begins with !, is not allowed: remove it; quotes make anything text');
    if ('anchor' in node && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isMap(node)) return this.#readMap(node);
    if (isSeq(node)) return this.#readList(node);
    return isScalar(node) ? this.#readScalar(node) : null;
  }

  #refuse(code: string, message: string): void {
    this.#faults.add(pointer(...this.#keys), code, message);
  }

  #hasRoom(): boolean {
    this.#nodes += 1;
    const room = this.#nodes <= maxNodes && this.#characters <= maxCharacters;
    if (!room) {
      const message = `the SDL has more than ${maxNodes} values or ${maxCharacters} characters, counting what aliases repeat: make it smaller`;
      this.#faults.add('', 'TooLarge', message);
    } else if (this.#keys.length > maxDepth) {
      this.#faults.add(
        '',
        'TooDeep',
        `values are nested more than ${maxDepth} deep, or an anchor contains its own alias; no SDL needs that`,
      );
    }
    return room && this.#keys.length <= maxDepth;
  }

  #readAlias(alias: Alias): Data {
    const target = this.#anchors.get(alias.source);
    if (target === undefined) {
      this.#refuse('UnknownAnchor', 'an alias, which begins with *, stands for nothing: put its anchor before it, or the text into quotes');
      return null;
    }
    this.targets.set(alias, target);
    return this.read(target);
  }

  #readList(list: YAMLSeq): Data[] {
    return list.items.map((item, at) => {
      this.#keys.push(at);
      const data = this.read(item as Node | null);
      this.#keys.pop();
      return data;
    });
  }

  #readMap(map: YAMLMap): Data {
    const data: { [key: string]: Data } = Object.create(null) as { [key: string]: Data };
    for (const { key: keyNode, value } of map.items) {
      const key = this.#readKey(keyNode);
      if (key === undefined) continue;
      this.#keys.push(key);
      if (Object.hasOwn(data, key)) this.#refuse('DuplicateKey', `${quoted(key)} is there twice: keep one`);
      else data[key] = this.read(value as Node | null);
      this.#keys.pop();
    }
    return data;
  }

  #readKey(node: unknown): string | undefined {
    const key = isScalar(node) && node.tag === undefined ? this.#readScalar(node) : undefined;
    if (typeof key !== 'string') {
      const message = `a key ${key === undefined ? 'is not plain text' : `is ${quoted(String(key))}, which is not text`}: put a name there, in quotes where it is a number or a word such as true`;
      return this.#refuseKey(node, 'BadKey', message);
    }
    if (key.length > maxKeyLength)
      return this.#refuseKey(node, 'BadKey', `a key has ${key.length} characters; it may have at most ${maxKeyLength}`);
    if (key === '<<') return this.#refuseKey(node, 'MergeRefused', 'the merge key << is not a part of YAML 1.2: repeat the fields');
    if (key in {})
      return this.#refuseKey(
        node,
        'ReservedName',
        `${quoted(key)} cannot be a name: readers of SDL confuse it with a word of theirs; choose another`,
      );
    return key;
  }

  /** It has no path of its own. */
  #refuseKey(node: unknown, code: string, message: string): undefined {
    this.#faults.add(pointer(...this.#keys), code, message, isScalar(node) ? node.range?.[0] : undefined);
  }

  #readScalar({ value, type, source }: Scalar): Data {
    if (type === Scalar.PLAIN && typeof value === 'number' && source !== undefined && isAmount(this.#keys)) return source;
    if (typeof value === 'string') {
      this.#characters += value.length;
      if (!value.isWellFormed() || value.includes('\0')) {
        this.#refuse('BadText', 'a text holds a zero character or half of a surrogate pair: remove it');
      } else if (type === Scalar.PLAIN && ambiguous.test(value)) {
        const message = 'this is text for some readers of YAML, and a number or a date for others: put it into quotes';
        this.#refuse('AmbiguousScalar', message);
      }
      return value;
    }
    if (typeof value === 'number' && !Number.isFinite(value)) this.#refuse('BadNumber', 'a number must be finite');
    return typeof value === 'number' || typeof value === 'boolean' ? value : null;
  }
}
