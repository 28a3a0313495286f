import type { SelectionTree } from '../objects/field-selection.ts';

/*
 * Takes the selected fields out of JSON before it is parsed. Parsing is most of what a watch event costs, and a cache keeps a tenth of
 * an object; stepping over the rest as bytes costs about a fifth of parsing it.
 *
 * The bytes are compact JSON as API servers write it. On anything else (space between tokens, an escape in a key, a text that breaks
 * off) the picker gives up and the caller parses the whole. What it steps over is not checked beyond its quotes and brackets.
 *
 * Half of an object is often `managedFields`, which is stepped over in one native search: it holds no other array, so that it ends at its first `}]`
 * outside of a string. Should that pair stand inside of one, the picker goes on in the middle of a text and gives up: what it could take for the next field ends
 * at the beginning of another text, which in managedFields never starts with a colon.
 */

interface Field {
  readonly key: Uint8Array;
  /** Undefined: all of it. */
  readonly fields: readonly Field[] | undefined;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
/** Turns a bracket into a brace, so that one comparison finds both. */
const asBrace = 0x20;
/** Below this length a loop copies faster than a call. */
const shortCopy = 64;

/** Not compact JSON, or no JSON: parse the whole instead. */
const gaveUp = -1;

const managedFields = new Uint8Array(Buffer.from('managedFields'));

export class JsonPicker {
  readonly #fields: readonly Field[] | undefined;
  #source: Buffer = Buffer.alloc(0);
  #picked = Buffer.allocUnsafe(16_384);
  #pickedLength = 0;
  /** Everything in the source before this was copied or dropped. */
  #copyFrom = 0;

  constructor(selection: SelectionTree) {
    this.#fields = compile(selection);
  }

  /** The same as `JSON.parse`, with the selected fields at least. */
  parse(json: Buffer): unknown {
    return JSON.parse(this.#pick(json) ?? json.toString('utf8'));
  }

  #pick(json: Buffer): string | undefined {
    if (this.#fields === undefined) return undefined;
    if (this.#picked.length < json.length) this.#picked = Buffer.allocUnsafe(json.length);
    this.#source = json;
    this.#pickedLength = 0;
    this.#copyFrom = 0;
    if (this.#value(0, this.#fields) !== json.length) return undefined;
    this.#copyUpTo(json.length);
    return this.#picked.toString('utf8', 0, this.#pickedLength);
  }

  /** Each of these takes the place where something begins and gives the place after it. */
  #value(at: number, fields: readonly Field[]): number {
    const byte = this.#source[at];
    if (byte === openBrace) return this.#object(at, fields);
    if (byte === openBracket) return this.#array(at, fields);
    return skipValue(this.#source, at);
  }

  #array(start: number, fields: readonly Field[]): number {
    const source = this.#source;
    let at = start + 1;
    if (source[at] === closeBracket) return at + 1;
    for (;;) {
      at = this.#value(at, fields);
      if (at === gaveUp) return gaveUp;
      if (source[at] === closeBracket) return at + 1;
      if (source[at] !== comma) return gaveUp;
      at += 1;
    }
  }

  #object(start: number, fields: readonly Field[]): number {
    const source = this.#source;
    let at = start + 1;
    let isFirstKept = true;
    if (source[at] === closeBrace) return at + 1;
    for (;;) {
      const entry = at;
      const keyEnd = skipKey(source, at);
      if (keyEnd === gaveUp || source[keyEnd] !== colon) return gaveUp;
      const field = find(fields, source, at + 1, keyEnd - 1);
      if (field?.fields !== undefined) at = this.#value(keyEnd + 1, field.fields);
      else if (field === undefined && isKey(managedFields, source, at + 1, keyEnd - 1)) at = skipManagedFields(source, keyEnd + 1);
      else at = skipValue(source, keyEnd + 1);
      if (at === gaveUp) return gaveUp;
      const isLast = source[at] === closeBrace;
      if (!isLast && source[at] !== comma) return gaveUp;
      if (field !== undefined) isFirstKept = false;
      // A dropped entry takes the comma before it along, or the one behind it where nothing was kept before.
      else this.#drop(isFirstKept ? entry : entry - 1, isFirstKept && !isLast ? at + 1 : at);
      at += 1;
      if (isLast) return at;
    }
  }

  #drop(from: number, to: number): void {
    this.#copyUpTo(from);
    this.#copyFrom = to;
  }

  #copyUpTo(end: number): void {
    const source = this.#source;
    const picked = this.#picked;
    const start = this.#copyFrom;
    let to = this.#pickedLength;
    if (end - start > shortCopy) {
      picked.set(source.subarray(start, end), to);
      to += end - start;
    } else {
      for (let at = start; at < end; at += 1, to += 1) picked[to] = source[at] as number;
    }
    this.#pickedLength = to;
  }
}

function compile(selection: SelectionTree): readonly Field[] | undefined {
  if (selection === true) return undefined;
  return Object.entries(selection).flatMap(([name, below]) =>
    below === undefined ? [] : [{ key: new Uint8Array(Buffer.from(name)), fields: compile(below) }],
  );
}

function find(fields: readonly Field[], source: Uint8Array, start: number, end: number): Field | undefined {
  for (const field of fields) {
    if (isKey(field.key, source, start, end)) return field;
  }
  return undefined;
}

function isKey(key: Uint8Array, source: Uint8Array, start: number, end: number): boolean {
  if (key.length !== end - start) return false;
  for (let index = 0; index < key.length; index += 1) {
    if (key[index] !== source[start + index]) return false;
  }
  return true;
}

function skipKey(source: Uint8Array, start: number): number {
  if (source[start] !== quote) return gaveUp;
  for (let at = start + 1; at < source.length; at += 1) {
    const byte = source[at];
    if (byte === quote) return at + 1;
    if (byte === backslash) return gaveUp;
  }
  return gaveUp;
}

function skipValue(source: Uint8Array, start: number): number {
  const first = source[start];
  if (first === quote) return skipString(source, start);
  if (first === openBrace || first === openBracket) return skipNested(source, start);
  let at = start;
  while (at < source.length && source[at] !== comma && source[at] !== closeBrace && source[at] !== closeBracket) at += 1;
  return at === start ? gaveUp : at;
}

function skipManagedFields(source: Buffer, start: number): number {
  const last = source.indexOf(closeBracket, start);
  const next = source[last + 1];
  const isEnd = source[start] === openBracket && source[last - 1] === closeBrace && (next === comma || next === closeBrace);
  return isEnd ? last + 1 : skipValue(source, start);
}

function skipString(source: Uint8Array, start: number): number {
  for (let at = start + 1; at < source.length; at += 1) {
    const byte = source[at];
    if (byte === quote) return at + 1;
    if (byte === backslash) at += 1;
  }
  return gaveUp;
}

function skipNested(source: Uint8Array, start: number): number {
  let depth = 1;
  for (let at = start + 1; at < source.length; at += 1) {
    const byte = source[at] as number;
    if (byte === quote) {
      at = skipString(source, at) - 1;
      if (at < start) return gaveUp;
    } else if ((byte | asBrace) === openBrace) {
      depth += 1;
    } else if ((byte | asBrace) === closeBrace) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return gaveUp;
}
