/** RFC 6901 pointers into JSON, with changes as copies along the path. */
import { field, isArray, isObject, type Json, objectOf } from '../schema/json.ts';

export type Pointer = readonly string[];

/** The reference tokens of a pointer; undefined when it is none. */
export function parsePointer(text: string): Pointer | undefined {
  if (text === '') return [];
  if (!text.startsWith('/')) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value that the pointer names; undefined where there is none. */
export function valueAt(document: Json, [token, ...rest]: Pointer): Json | undefined {
  if (token === undefined) return document;
  const child = childOf(document, token);
  return child === undefined ? undefined : valueAt(child, rest);
}

/** With the value set or, in an array, inserted. Undefined where the parent does not exist. */
export function addAt(document: Json, path: Pointer, value: Json): Json | undefined {
  return change(document, path, value, (parent, token) => {
    if (isObject(parent)) return objectOf([...Object.entries(parent), [token, value]]);
    const index = token === '-' ? parent.length : indexOf(token, parent.length + 1);
    return index === undefined ? undefined : parent.toSpliced(index, 0, value);
  });
}

export function replaceAt(document: Json, path: Pointer, value: Json): Json | undefined {
  return change(document, path, value, (parent, token) => {
    if (isObject(parent)) return objectOf([...Object.entries(parent), [token, value]]);
    const index = indexOf(token, parent.length);
    return index === undefined ? undefined : parent.with(index, value);
  });
}

/** Undefined where there is nothing to remove. */
export function removeAt(document: Json, path: Pointer): Json | undefined {
  return change(document, path, undefined, (parent, token) => {
    if (isObject(parent)) {
      return Object.hasOwn(parent, token) ? objectOf(Object.entries(parent).filter(([key]) => key !== token)) : undefined;
    }
    const index = indexOf(token, parent.length);
    return index === undefined ? undefined : parent.toSpliced(index, 1);
  });
}

type Parent = Exclude<Json, null | boolean | number | string>;

/** The document with the parent of the last token changed; `whole` when the path names the document itself. */
function change(
  document: Json,
  [token, ...rest]: Pointer,
  whole: Json | undefined,
  edit: (parent: Parent, token: string) => Json | undefined,
): Json | undefined {
  if (token === undefined) return whole;
  if (!isArray(document) && !isObject(document)) return undefined;
  if (rest.length === 0) return edit(document, token);
  const child = childOf(document, token);
  const changed = child === undefined ? undefined : change(child, rest, whole, edit);
  return changed === undefined ? undefined : replaceAt(document, [token], changed);
}

function childOf(document: Json, token: string): Json | undefined {
  if (isObject(document)) return field(document, token);
  if (!isArray(document)) return undefined;
  const index = indexOf(token, document.length);
  return index === undefined ? undefined : document[index];
}

/** An index below `limit`; negative ones count from the end. */
function indexOf(token: string, limit: number): number | undefined {
  if (!/^-?\d+$/.test(token)) return undefined;
  const number = Number(token);
  const index = number < 0 ? number + limit : number;
  return index >= 0 && index < limit ? index : undefined;
}
