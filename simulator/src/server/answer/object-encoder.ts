import { isArray, isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { apiVersionOf, type ServedKind } from '../kinds/served-kind.ts';
import { shown } from '../store/object-reader.ts';
import type { SharedParts } from '../store/shared-parts.ts';
import { ByteWriter } from './byte-writer.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What JSON writes as it is. */
const plainText = /^[ !#-[\]-~]*$/;

/** About as many as happen while the slowest of some watchers that keep up is told of them. */
const recentLimit = 1024;

/** Of an object. */
export const expectedBytes = 4096;

/** Turns objects into JSON. Parts that objects share are written out once; an event is written out once for all watchers. */
export class ObjectEncoder {
  readonly #parts: SharedParts;
  readonly #names = new Map<string, string>(); // field -> its JSON with the colon
  readonly #recent = new Map<JsonObject, Map<string, Buffer>>(); // object -> type and apiVersion -> line of a watch

  constructor(parts: SharedParts) {
    this.#parts = parts;
  }

  text(object: JsonObject): string {
    const into = new ByteWriter(expectedBytes);
    this.write(object, into);
    return into.end().toString();
  }

  write(object: JsonObject, into: ByteWriter): void {
    let separator = '{';
    for (const field of Object.keys(object)) {
      const value = object[field] ?? null;
      into.text(`${separator}${this.#name(field)}`);
      separator = ',';
      if (isObject(value)) this.#section(value, into);
      else this.#value(value, into);
    }
    into.text(separator === '{' ? '{}' : '}');
  }

  /** An event as a line of a watch. */
  line(kind: ServedKind, type: WatchEventType, object: JsonObject): Buffer {
    let lines = this.#recent.get(object);
    if (lines === undefined) {
      lines = new Map();
      this.#remember(object, lines);
    }
    const form = `${type} ${apiVersionOf(kind)}`;
    let line = lines.get(form);
    if (line === undefined) {
      const into = new ByteWriter(expectedBytes);
      into.text(lineStart(type));
      this.write(shown(kind, object), into);
      into.text(lineEnd);
      line = into.end();
      lines.set(form, line);
    }
    return line;
  }

  #remember(object: JsonObject, lines: Map<string, Buffer>): void {
    this.#recent.set(object, lines);
    if (this.#recent.size <= recentLimit) return;
    for (const oldest of this.#recent.keys()) {
      this.#recent.delete(oldest);
      return;
    }
  }

  #section(section: JsonObject, into: ByteWriter): void {
    let separator = '{';
    for (const field of Object.keys(section)) {
      into.text(`${separator}${this.#name(field)}`);
      separator = ',';
      this.#value(section[field] ?? null, into);
    }
    into.text(separator === '{' ? '{}' : '}');
  }

  #value(value: Json, into: ByteWriter): void {
    if (typeof value === 'string') into.text(plainText.test(value) ? `"${value}"` : JSON.stringify(value));
    else {
      const shared = isObject(value) || isArray(value) ? this.#parts.bytesOf(value) : undefined;
      if (shared === undefined) into.text(JSON.stringify(value));
      else into.bytes(shared);
    }
  }

  #name(field: string): string {
    let name = this.#names.get(field);
    if (name === undefined) {
      name = `${JSON.stringify(field)}:`;
      // Fields of schemas are few; keys of maps that users invent are not.
      if (this.#names.size < recentLimit) this.#names.set(field, name);
    }
    return name;
  }
}

const lineStart = (type: string): string => `{"type":"${type}","object":`;
const lineEnd = '}\n';

export const watchLine = (type: string, object: string): Buffer => Buffer.from(`${lineStart(type)}${object}${lineEnd}`);
