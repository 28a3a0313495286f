import { isObject, type Json, type JsonObject } from '../object/api-object.ts';

/**
 * The text at a path of the simple kind that printer columns use: `.a.b`, `['key']`, `[0]`, `[*]` and
 * `[?(@.type=="Ready")]`. Undefined where nothing is there.
 */
export function jsonPathText(object: JsonObject, path: string): string | undefined {
  let values: readonly Json[] = [object];
  for (const step of stepsOf(path)) values = values.flatMap((value) => [...step(value)]);
  const texts = values
    .filter((value) => value !== null)
    .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
  return texts.length === 0 ? undefined : texts.join(' ');
}

type Step = (value: Json) => Iterable<Json>;

const token = /\.?([^.[\]]+)|\['([^']+)'\]|\[(\d+)\]|\[(\*)\]|\[\?\(@\.([^=!<>\s]+)\s*==\s*["']?([^"')]*)["']?\)\]/g;

function* stepsOf(path: string): Generator<Step> {
  for (const [, name, quoted, index, all, field, wanted] of path.replaceAll(String.raw`\.`, '\u0000').matchAll(token)) {
    const key = (name ?? quoted)?.replaceAll('\u0000', '.');
    if (key !== undefined) yield (value) => (isObject(value) && Object.hasOwn(value, key) ? [value[key] ?? null] : []);
    else if (index !== undefined)
      yield (value) => (Array.isArray(value) && Number(index) < value.length ? [value[Number(index)] as Json] : []);
    else if (all !== undefined) yield (value) => (Array.isArray(value) ? (value as Json[]) : []);
    else
      yield (value) =>
        Array.isArray(value) ? (value as Json[]).filter((item) => isObject(item) && String(item[field ?? '']) === wanted) : [];
  }
}
