import type { JsonObject } from './api-object.ts';
import { shown } from './object-reader.ts';
import { apiVersionOf, type ServedKind } from './served-kind.ts';

/** Turns objects into text, remembering the last one: all watchers of a kind want the same object next. */
export class ObjectEncoder {
  #last: { readonly object: JsonObject; readonly apiVersion: string; readonly text: string } | undefined;

  encode(kind: ServedKind, object: JsonObject): string {
    const apiVersion = apiVersionOf(kind);
    if (this.#last?.object !== object || this.#last.apiVersion !== apiVersion)
      this.#last = { object, apiVersion, text: JSON.stringify(shown(kind, object)) };
    return this.#last.text;
  }
}
