/** Finds the objects that a new or changed object refers to, holds them until it is written, and puts their ids into its fields. */
import { clone, type MessageShape } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import type { Principal } from '@quartermaster/auth';
import { StatusError } from '@quartermaster/kernel';
import { holdReferenced, lockOf, type StoredObject, type Transaction } from '@quartermaster/store';
import type { AnyKind, AnyKinds } from '../kinds/index.ts';
import { type MaskStep, parseMask } from '../masks/index.ts';
import type { Reference, Referenced, ReferencedByField } from '../rules/index.ts';

/**
 * The objects by the fields that name them. They are held: nobody changes or deletes them before the transaction ends. Throws `not_found` for those that are not there or
 * not for the caller to see, `invalid_argument` for a name that several have, `failed_precondition` for one that is being deleted.
 */
export async function resolveReferences(
  tx: Transaction,
  kinds: AnyKinds,
  principal: Principal,
  references: readonly Reference[],
): Promise<ReferencedByField> {
  if (references.length === 0) return new Map();
  // Most are ids: with these held, what is found next cannot change any more.
  const held = new Set(references.map(({ kind, value }) => lockOf(kind, value)));
  let found = await findHeld(tx, kinds, principal, references, [...held]);
  const named = [...found].map(([{ kind }, { id }]) => lockOf(kind, id)).filter((lock) => !held.has(lock));
  if (named.length > 0) found = await findHeld(tx, kinds, principal, references, named);
  return new Map([...found].map(([{ field }, object]) => [field, { id: object.id, object }]));
}

/** Sent together: the database comes to look for them when they are held. */
async function findHeld(
  tx: Transaction,
  kinds: AnyKinds,
  { visibleTenants }: Principal,
  references: readonly Reference[],
  locks: readonly string[],
): Promise<ReadonlyMap<Reference, StoredObject>> {
  const byKind = [...Map.groupBy(references, ({ kind }) => kind)];
  const look = async ([kind, mine]: (typeof byKind)[number]): Promise<(readonly [Reference, StoredObject])[]> => {
    const texts = [...new Set(mine.map(({ value }) => value))];
    const { store, singular } = kindNamed(kinds, kind);
    const candidates = await store.findByIdOrName(tx, texts, visibleTenants === 'all' ? undefined : visibleTenants);
    return mine.map((reference) => [reference, choose(reference, candidates, singular)]);
  };
  const [, ...found] = await Promise.all([holdReferenced(tx, locks), ...byKind.map(look)]);
  return new Map(found.flat());
}

export function kindNamed(kinds: AnyKinds, name: string): AnyKind {
  const kind = kinds[name];
  if (kind === undefined) throw new StatusError('internal', `there is no kind ${name}: a rule or a usage names it`);
  return kind;
}

function choose(reference: Reference, candidates: readonly StoredObject[], singular: string): StoredObject {
  const { field, value, isNameAllowed } = reference;
  const byId = candidates.find(({ id }) => id === value);
  const byName = candidates.filter(({ metadata }) => isNameAllowed && metadata?.name === value && metadata.deletionTimestamp === undefined);
  const [chosen = byName[0], ...others] = byId === undefined ? byName : [byId];
  if (chosen === undefined) {
    const what = isNameAllowed ? 'id or name' : 'id';
    throw refusal('not_found', field, `there is no ${singular} with the ${what} "${value}"; create it first, or name another one`);
  }
  if (others.length > 0) {
    const ids = [chosen, ...others].map(({ id }) => `"${id}"`).join(', ');
    throw refusal('invalid_argument', field, `several have the name "${value}" (${ids}); use an id`);
  }
  if (chosen.metadata?.deletionTimestamp !== undefined) {
    throw refusal('failed_precondition', field, `${singular} "${chosen.id}" is being deleted; name another one`);
  }
  return chosen;
}

function refusal(code: 'not_found' | 'invalid_argument' | 'failed_precondition', field: string, description: string): StatusError {
  return new StatusError(code, `field "${field}": ${description}`, { details: { fieldViolations: [{ field, description }] } });
}

/** The object with ids in the fields that name others. A new message, unless all of them held ids already. */
export function bindReferences<M extends StoredObject>(
  schema: GenMessage<M>,
  object: M,
  referenced: ReferencedByField,
  references: readonly Reference[],
): M {
  const names = references.filter(({ field, value }) => referenced.get(field)?.id !== value);
  if (names.length === 0) return object;
  const result: MessageShape<GenMessage<M>> = clone(schema, object);
  for (const { field } of names) {
    const target: Referenced | undefined = referenced.get(field);
    const [path] = parseMask(schema, [field]);
    if (target !== undefined && path !== undefined) setText(reflect(schema, result), path.steps, target.id);
  }
  return result;
}

function setText(message: ReflectMessage, steps: readonly MaskStep[], text: string): void {
  const [step, ...rest] = steps;
  if (step?.kind !== 'field') return;
  const { field } = step;
  if (rest.length === 0) {
    if (field.fieldKind === 'scalar') message.set(field, text);
    return;
  }
  if (field.fieldKind === 'message') setText(message.get(field), rest, text);
  const [key, ...below] = rest;
  if (field.fieldKind === 'map' && key?.kind === 'key') {
    const entry = message.get(field).get(key.key);
    if (isReflectMessage(entry)) setText(entry, below, text);
  }
}
