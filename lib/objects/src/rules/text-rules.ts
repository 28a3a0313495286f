import { type DescMessage, isMessage, type MessageShape } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import type { FieldViolation } from '@quartermaster/kernel';
import { keyText } from '../masks/index.ts';

const maxTextLength = 65_536;
const maxKeyLength = 512;

/** The first and the last second that JSON can tell: of the years 1 and 9999. */
const [firstSecond, lastSecond] = [-62_135_596_800n, 253_402_300_799n];

/**
 * What holds for every text and every time wherever it stands. Of a text: no U+0000, which the database cannot store, and no more than 64 Ki characters; that it is
 * well-formed Unicode was seen when it was decoded. Of a time: that JSON can tell it, or nobody could read the object over REST.
 */
export function textViolations<Desc extends DescMessage>(schema: Desc, object: MessageShape<Desc>): FieldViolation[] {
  const violations: FieldViolation[] = [];
  visit(reflect(schema, object, false), '', (field, value, limit) => {
    const description = typeof value === 'string' ? textFault(value, limit) : timeFault(value);
    if (description !== undefined) violations.push({ field, description });
  });
  return violations;
}

function timeFault({ seconds, nanos }: Timestamp): string | undefined {
  if (seconds >= firstSecond && seconds <= lastSecond && nanos >= 0 && nanos < 1_000_000_000) return undefined;
  return 'must be a time of the years 1 to 9999, with 0 to 999999999 nanoseconds';
}

function textFault(text: string, limit: number): string | undefined {
  if (text.length > limit) return `must not be longer than ${limit} characters, and has ${text.length}`;
  if (text.includes('\0')) return 'must not contain the character U+0000; remove it';
  return undefined;
}

type Look = (field: string, value: string | Timestamp, limit: number) => void;

function visit(message: ReflectMessage, prefix: string, look: Look): void {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    const path = prefix + field.name;
    switch (field.fieldKind) {
      case 'list':
        for (const [index, item] of message.get(field).entries()) visitValue(item, `${path}.${index}`, look);
        break;
      case 'map':
        for (const [key, item] of message.get(field)) {
          if (typeof key === 'string') look(path, key, maxKeyLength);
          visitValue(item, `${path}.${keyText(String(key))}`, look);
        }
        break;
      case 'message':
      case 'scalar':
      case 'enum':
        visitValue(message.get(field), path, look);
        break;
    }
  }
}

function visitValue(value: unknown, path: string, look: Look): void {
  if (typeof value === 'string') look(path, value, maxTextLength);
  else if (isReflectMessage(value) && isMessage(value.message, TimestampSchema)) look(path, value.message, maxTextLength);
  else if (isReflectMessage(value)) visit(value, `${path}.`, look);
}

/** A violation of `rule` at the field when the text is there and does not fit; nothing when it is empty. */
export function unlessMatches(field: string, text: string, pattern: RegExp, rule: string): FieldViolation[] {
  return text === '' || pattern.test(text) ? [] : [{ field, description: rule }];
}

/** A violation when the text is longer than the limit or holds a line break. */
export function unlessShort(field: string, text: string, limit: number): FieldViolation[] {
  if (text.length > limit) return [{ field, description: `must not be longer than ${limit} characters, and has ${text.length}` }];
  if (/[\r\n]/.test(text)) return [{ field, description: 'must be a single line' }];
  return [];
}

/** A violation when the number lies outside of the range. */
export function unlessBetween(field: string, value: number, least: number, most: number): FieldViolation[] {
  return value >= least && value <= most ? [] : [{ field, description: `must be between ${least} and ${most}, and is ${value}` }];
}

/** Names of node sets, host sets and such: they become parts of names and labels of Kubernetes objects. */
export function keyViolations(field: string, keys: Iterable<string>): FieldViolation[] {
  return [...keys].flatMap((key) =>
    /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(key)
      ? []
      : [
          {
            field: `${field}.${keyText(key)}`,
            description: 'has an invalid name: use 1 to 63 letters, digits, "-", "_" and ".", beginning and ending with a letter or digit',
          },
        ],
  );
}

/** As Kubernetes has it: tenants read reasons and not messages, so a reason is a code and no place for a text. */
const reasonPattern = /^(?:[A-Za-z](?:[A-Za-z0-9_,:]{0,254}[A-Za-z0-9_])?)?$/;

export const isReason = (text: string): boolean => reasonPattern.test(text);

interface RuledCondition {
  readonly type: number;
  readonly reason?: string | undefined;
}

/**
 * Of each type there is one condition: a second one would contradict the first or repeat it. A reason that is stored already may stay, be it a text.
 */
export function conditionViolations(
  field: string,
  conditions: readonly RuledCondition[],
  stored: readonly RuledCondition[] = [],
): FieldViolation[] {
  const seen = new Set<number>();
  return conditions.flatMap(({ type, reason = '' }, index) => {
    const isRepeated = seen.has(type);
    seen.add(type);
    return [
      ...(isRepeated
        ? [{ field: `${field}.${index}.type`, description: `must not repeat the type ${type}: change the condition that has it already` }]
        : []),
      ...(isReason(reason) || stored.some((known) => known.type === type && known.reason === reason)
        ? []
        : [
            {
              field: `${field}.${index}.reason`,
              description: 'must be one word of at most 256 letters and digits, such as DiskFailed: texts belong in the message',
            },
          ]),
    ];
  });
}
