import { clone, type DescMessage, type Message, type MessageShape } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { type FieldViolation, invalidFields, StatusError } from '@quartermaster/kernel';
import { type MaskStep, parseMask } from '../masks/index.ts';
import { kindTitles, type Reference, type Referenced, type ReferencedByField } from './kind-rules.ts';

/** An object that a reference may mean: its id or its name is the reference's value, and the caller may see it. */
export interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly isDeleted: boolean;
  readonly object: Message;
}

export interface BoundReferences<Desc extends DescMessage> {
  /** The object with ids in place of names. */
  readonly object: MessageShape<Desc>;
  readonly referenced: ReferencedByField;
  /** References to nothing. */
  readonly missing: readonly FieldViolation[];
  /** References to something that they cannot mean. */
  readonly violations: readonly FieldViolation[];
}

/** Finds what each reference means. An id goes before a name; a name that several objects have means none of them. */
export function bindReferences<Desc extends DescMessage>(
  schema: Desc,
  object: MessageShape<Desc>,
  references: readonly Reference[],
  candidatesOf: (reference: Reference) => readonly Candidate[],
): BoundReferences<Desc> {
  const result = references.length === 0 ? object : clone(schema, object);
  const referenced = new Map<string, Referenced>();
  const missing: FieldViolation[] = [];
  const violations: FieldViolation[] = [];
  for (const reference of references) {
    const choice = choose(reference, candidatesOf(reference));
    if (choice.kind === 'found') {
      referenced.set(reference.field, choice.found);
      setText(reflect(schema, result), parseMask(schema, [reference.field])[0]?.steps ?? [], choice.found.id);
    } else {
      (choice.kind === 'missing' ? missing : violations).push({ field: reference.field, description: choice.description });
    }
  }
  return { object: result, referenced, missing, violations };
}

/** The error for references that could not be bound; undefined when all of them were. One to nothing is `not_found`, as released clients expect. */
export function referenceError({
  missing,
  violations,
}: Pick<BoundReferences<DescMessage>, 'missing' | 'violations'>): StatusError | undefined {
  if (violations.length > 0) return invalidFields([...violations, ...missing]);
  if (missing.length === 0) return undefined;
  const message = missing.map(({ field, description }) => `field "${field}": ${description}`).join('; ');
  return new StatusError('not_found', message, { details: { fieldViolations: missing } });
}

type Choice =
  | { readonly kind: 'found'; readonly found: Referenced }
  | { readonly kind: 'missing' | 'refused'; readonly description: string };

function choose({ kind, value, isNameAllowed }: Reference, candidates: readonly Candidate[]): Choice {
  const what = kindTitles[kind];
  const byId = candidates.find(({ id }) => id === value);
  if (byId !== undefined) return taken(what, byId);
  const named = isNameAllowed ? candidates.filter(({ name }) => name === value) : [];
  const alive = named.filter(({ isDeleted }) => !isDeleted);
  if (alive.length > 1) {
    const ids = alive.map(({ id }) => id).toSorted();
    const shown = ids.length > 5 ? `${ids.slice(0, 5).join(', ')} and ${ids.length - 5} more` : ids.join(', ');
    return {
      kind: 'refused',
      description: `is ambiguous: ${ids.length} objects of kind ${what} have the name "${value}"; use the id of one: ${shown}`,
    };
  }
  const found = alive[0] ?? named[0];
  if (found !== undefined) return taken(what, found);
  const by = isNameAllowed ? 'id or name' : 'id';
  return { kind: 'missing', description: `there is no ${what} with the ${by} "${value.slice(0, 100)}"` };
}

function taken(what: string, { id, isDeleted, object }: Candidate): Choice {
  if (isDeleted) return { kind: 'refused', description: `the ${what} "${id}" is being deleted; choose another one` };
  return { kind: 'found', found: { id, object } };
}

function setText(message: ReflectMessage, steps: readonly MaskStep[], text: string): void {
  const [step, ...rest] = steps;
  if (step?.kind !== 'field') return;
  const { field } = step;
  const next = rest[0];
  if (next === undefined) message.set(field, text);
  else if (field.fieldKind === 'message') setText(message.get(field), rest, text);
  else if (field.fieldKind === 'map' && next.kind === 'key') {
    const part = message.get(field).get(next.key);
    if (isReflectMessage(part)) setText(part, rest.slice(1), text);
  }
}
