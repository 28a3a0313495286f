/**
 * A set of places in a message: field names separated by dots, where `*` stands for any key of a map or any
 * index of a list: `status.node_sets.*.hosts`. A pattern also means everything below the place.
 */
export type PathPattern = string;

/** True when the place of `segments` is the pattern's place or lies below it. */
export function isWithin(segments: readonly string[], pattern: PathPattern): boolean {
  const parts = pattern.split('.');
  return parts.length <= segments.length && parts.every((part, index) => part === '*' || part === segments[index]);
}
