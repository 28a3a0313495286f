import { type DescMessage, equals, type MessageShape } from '@bufbuild/protobuf';
import type { FieldViolation } from '@quartermaster/kernel';
import { applyMask } from './apply-mask.ts';
import type { MaskPath } from './mask-path.ts';

/**
 * A set of places in a message: field names separated by dots, where `*` stands for any key of a map or any
 * index of a list: `status.node_sets.*.hosts`. A pattern also means everything below the place.
 */
export type PathPattern = string;

/** True when the place of `segments` is the pattern's place or lies below it. */
function isWithin(segments: readonly string[], pattern: PathPattern): boolean {
  const parts = pattern.split('.');
  return parts.length <= segments.length && parts.every((part, index) => part === '*' || part === segments[index]);
}

/** A place that an update never writes: whatever a request holds there, it stays as stored. */
export interface OutputOnly {
  readonly pattern: PathPattern;
  /** Given when a mask that would change it is refused, so that nobody believes it was done: who writes it, and how. Else it is passed over. */
  readonly wayOut?: string | undefined;
}

/** What a mask names and would change although only the service writes it. `object` is the stored one with the mask applied. */
export function outputOnlyViolations<Desc extends DescMessage>(
  schema: Desc,
  stored: MessageShape<Desc>,
  object: MessageShape<Desc>,
  paths: readonly MaskPath[],
  outputOnly: readonly OutputOnly[],
): FieldViolation[] {
  return paths.flatMap((path) => {
    const fixed = outputOnly.find(({ pattern, wayOut }) => wayOut !== undefined && isWithin(path.segments, pattern));
    if (fixed?.wayOut === undefined || equals(schema, applyMask(schema, stored, object, [path]), stored)) return [];
    return [{ field: path.text, description: `is not written by updates; ${fixed.wayOut}` }];
  });
}
