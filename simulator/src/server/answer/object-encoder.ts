import { isArray, isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { apiVersionOf, type ServedKind } from '../kinds/served-kind.ts';
import { shown } from '../store/object-reader.ts';
import type { SharedParts } from '../store/shared-parts.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What JSON writes as it is. */
const plainText = /^[ !#-[\]-~]*$/;

/** About as many as happen while the slowest of some watchers that keep up is told of them. */
const recentLimit = 1024;

/** Turns objects into JSON. Parts that objects share are written out once; an event is written out once for all watchers. */
export class ObjectEncoder {
  readonly #parts: SharedParts;
  readonly #names = new Map<string, string>(); // field -> its JSON with the colon
  readonly #recent = new Map<JsonObject, Map<string, Buffer>>(); // object -> type and apiVersion -> line of a watch

  constructor(parts: SharedParts) {
    this.#parts = parts;
  }

  /** The object as its kind shows it. */
  encode(kind: ServedKind, object: JsonObject): string {
    return this.text(shown(kind, object));
  }

  text(object: JsonObject): string {
    let text = '';
    for (const field of Object.keys(object)) {
      const value = object[field] ?? null;
      text += `${text === '' ? '{' : ','}${this.#name(field)}${isObject(value) ? this.#section(value) : this.#value(value)}`;
    }
    return text === '' ? '{}' : `${text}}`;
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
      line = watchLine(type, this.encode(kind, object));
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

  #section(section: JsonObject): string {
    let text = '';
    for (const field of Object.keys(section)) {
      text += `${text === '' ? '{' : ','}${this.#name(field)}${this.#value(section[field] ?? null)}`;
    }
    return text === '' ? '{}' : `${text}}`;
  }

  #value(value: Json): string {
    if (typeof value === 'string') return plainText.test(value) ? `"${value}"` : JSON.stringify(value);
    return ((isObject(value) || isArray(value)) && this.#parts.textOf(value)) || JSON.stringify(value);
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

export const watchLine = (type: string, object: string): Buffer => Buffer.from(`{"type":"${type}","object":${object}}\n`);
