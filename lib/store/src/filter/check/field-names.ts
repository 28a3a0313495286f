import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { FilterProblem, quoted } from '../language/filter-problem.ts';
import { hintFor } from '../language/nearest-name.ts';

/** Whether the field at a path exists for the caller. */
export type IsHidden = (path: readonly string[]) => boolean;

/**
 * The field of that name in the message at that path. A hidden field is refused with the same words as one that does not exist, and is never the name
 * that is proposed instead.
 */
export function visibleField(message: DescMessage, path: readonly string[], name: string, isHidden: IsHidden, at?: number): DescField {
  const field = message.fields.find((candidate) => candidate.name === name);
  if (field !== undefined && !isHidden([...path, name])) return field;
  const visible = message.fields.map((candidate) => candidate.name).filter((each) => !isHidden([...path, each]));
  const place = path.length === 0 ? message.name : path.join('.');
  const hint = hintFor(name, visible);
  throw new FilterProblem(at, `there is no field ${quoted(name)} in ${place}${hint === '' ? `; it has ${visible.join(', ')}` : hint}`);
}
