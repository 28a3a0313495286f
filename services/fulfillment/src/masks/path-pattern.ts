/**
 * A set of places in a message: field names separated by dots, where `*` stands for any key of a map or any
 * index of a list: `status.node_sets.*.hosts`. A pattern also means everything below the place.
 */
export type PathPattern = string;

/** True when the place of `segments` is the pattern's place or lies below it. */
export function isWithin(segments: readonly string[], pattern: PathPattern): boolean {
  const parts = pattern.split('.');
  return parts.length <= segments.length && agree(parts, segments);
}

/** True when the pattern's places lie strictly below the place of `segments`. */
export function isAbove(segments: readonly string[], pattern: PathPattern): boolean {
  const parts = pattern.split('.');
  return parts.length > segments.length && agree(parts.slice(0, segments.length), segments);
}

function agree(parts: readonly string[], segments: readonly string[]): boolean {
  return parts.every((part, index) => part === '*' || part === segments[index]);
}
