import { clone, type DescField, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import type { OutputOnly, PathPattern } from './output-only.ts';
import { isRedacted } from './redacted.ts';

/** What an update without a mask does not replace. Patterns lead through messages and maps, never into lists. */
export interface MergeRules {
  /** Fields that the caller's release may not know: kept when the request leaves them out. Only a mask clears them. */
  readonly unknownToCaller?: readonly PathPattern[] | undefined;
  /** Secrets: kept when the request leaves them out or sends back what was shown in their place. Only a mask clears them. */
  readonly secrets?: readonly PathPattern[] | undefined;
  /** Fields that only the service writes: always as stored. */
  readonly outputOnly?: readonly OutputOnly[] | undefined;
}

/** Whether the field of `target` is to be what it is in the stored object. */
type Keeps = (target: ReflectMessage, field: DescField) => boolean;

const always: Keeps = () => true;
const whenAbsent: Keeps = (target, field) => !target.isSet(field);
const whenRedacted: Keeps = (target, field) => isRedacted(target.get(field));
const whenAbsentOrRedacted: Keeps = (target, field) => whenAbsent(target, field) || whenRedacted(target, field);

/** The object that an update without a mask makes: the input, with what `rules` says from the stored one. A new message. */
export function mergeUnmasked<Desc extends DescMessage>(
  schema: Desc,
  stored: MessageShape<Desc>,
  input: MessageShape<Desc>,
  rules: MergeRules,
): MessageShape<Desc> {
  const result = clone(schema, input);
  // Values that are taken over are the result's own: neither argument may change with it.
  const [target, source] = [reflect(schema, result, false), reflect(schema, clone(schema, stored), false)];
  for (const pattern of rules.unknownToCaller ?? []) keep(target, source, pattern.split('.'), whenAbsent);
  for (const pattern of rules.secrets ?? []) keep(target, source, pattern.split('.'), whenAbsentOrRedacted);
  for (const { pattern } of rules.outputOnly ?? []) keep(target, source, pattern.split('.'), always);
  keepUnknown(target, source);
  return result;
}

/** Fields that this release does not know: a newer one, which wrote them, finds them again. Elements of lists have no identity and keep nothing. */
function keepUnknown(target: ReflectMessage, source: ReflectMessage): void {
  const [own, stored] = [target.getUnknown() ?? [], source.getUnknown() ?? []];
  const kept = stored.filter(({ no }) => own.every((field) => field.no !== no));
  if (kept.length > 0) target.setUnknown([...own, ...kept]);
  for (const field of target.fields) {
    if (field.fieldKind === 'message') {
      if (target.isSet(field) && source.isSet(field)) keepUnknown(target.get(field), source.get(field));
    } else if (field.fieldKind === 'map' && field.mapKind === 'message') {
      const before = source.get(field);
      for (const [key, part] of target.get(field)) {
        const old = before.get(key);
        if (isReflectMessage(part) && isReflectMessage(old)) keepUnknown(part, old);
      }
    }
  }
}

/**
 * After a mask was applied: secrets that the request sent back as they were shown are what they were, and fields that only
 * the service writes are as stored (a mask may name what lies above them). A new message.
 */
export function keepStored<Desc extends DescMessage>(
  schema: Desc,
  stored: MessageShape<Desc>,
  object: MessageShape<Desc>,
  rules: Pick<MergeRules, 'secrets' | 'outputOnly'>,
): MessageShape<Desc> {
  const result = clone(schema, object);
  const [target, source] = [reflect(schema, result, false), reflect(schema, clone(schema, stored), false)];
  for (const pattern of rules.secrets ?? []) keep(target, source, pattern.split('.'), whenRedacted);
  for (const { pattern } of rules.outputOnly ?? []) keep(target, source, pattern.split('.'), always);
  return result;
}

function keep(target: ReflectMessage, source: ReflectMessage, pattern: readonly string[], keeps: Keeps): void {
  const [name, ...rest] = pattern;
  const field = target.fields.find((candidate) => candidate.name === name);
  if (field === undefined) return;
  if (rest.length === 0) {
    if (!keeps(target, field)) return;
    if (source.isSet(field)) target.set(field, source.get(field));
    else target.clear(field);
  } else if (field.fieldKind === 'message') {
    if (!source.isSet(field) && !target.isSet(field)) return;
    const part = target.get(field);
    keep(part, source.get(field), rest, keeps);
    if (!target.isSet(field) && !isEmpty(part)) target.set(field, part);
  } else if (field.fieldKind === 'map' && rest[0] === '*') {
    const kept = source.get(field);
    for (const [key, part] of target.get(field)) {
      const before = kept.get(key);
      if (isReflectMessage(part))
        keep(part, isReflectMessage(before) ? before : reflect(part.desc, undefined, false), rest.slice(1), keeps);
    }
  }
}

const isEmpty = (part: ReflectMessage): boolean => part.fields.every((field) => !part.isSet(field));
