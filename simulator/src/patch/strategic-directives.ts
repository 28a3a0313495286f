import { isArray, isObject, type Json, jsonTypeName, objectOf } from '../schema/json.ts';

export const directive = '$patch';
export const retainKeys = '$retainKeys';
export const deletionsPrefix = '$deleteFromPrimitiveList';
export const orderPrefix = '$setElementOrder';

/** A patch value as it is stored where there was nothing to merge it with; undefined when it only carried a directive. */
export function withoutDirectives(value: Json): Json | undefined {
  if (isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  const entries = Object.entries(value).flatMap(([key, child]): [string, Json][] => {
    const kept = withoutDirectives(child);
    return kept === undefined ? [] : [[key, kept]];
  });
  return objectOf(entries);
}

/** Without the fields that are null, on every level. */
export function withoutNulls(value: Json): Json {
  if (isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== null);
  return objectOf(entries.map(([key, child]) => [key, withoutNulls(child)]));
}

/** A value as the server's messages print it. */
export function goText(value: Json): string {
  if (value === null) return '<nil>';
  if (isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${fields.map(([key, child]) => `${key}:${goText(child)}`).join(' ')}]`;
}

/** A value where the server's messages expect a text. */
export const goString = (value: Json): string => {
  if (typeof value === 'string' || isArray(value) || isObject(value)) return goText(value);
  return value === null ? '%!s(<nil>)' : `%!s(${goTypeOf(value)}=${value})`;
};

export function goTypeOf(value: Json): string {
  const names = { integer: 'int64', number: 'float64', boolean: 'bool', object: 'map[string]interface {}', null: '%!s(<nil>)' } as const;
  const type = jsonTypeName(value);
  return type === 'string' || type === 'array' ? type : names[type];
}
