import { isArray, isObject, type Json, objectOf } from '../schema/json.ts';

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
