import { StatusError } from '@quartermaster/kernel';

/** Which objects a person wants. */
export interface Wanted {
  /** Names or ids; empty: all. */
  readonly names: readonly string[];
  /** CEL over `this`. */
  readonly filter?: string;
  /** `key=value`, `key!=value`, `key` or `!key`. */
  readonly labels: readonly string[];
  /** Also those that are being deleted. */
  readonly includeDeleted: boolean;
}

/** The filter of the API for what is wanted; undefined: everything. */
export function objectFilter({ names, filter, labels, includeDeleted }: Wanted): string | undefined {
  const conditions = [
    ...(includeDeleted ? [] : ['!has(this.metadata.deletion_timestamp)']),
    ...(names.length === 0 ? [] : [namesFilter(names)]),
    ...labels.flatMap((text) => text.split(',')).map(labelFilter),
    ...(filter === undefined || filter.trim() === '' ? [] : [filter]),
  ];
  if (conditions.length === 0) return undefined;
  return conditions.length === 1 ? conditions[0] : conditions.map((each) => `(${each})`).join(' && ');
}

/** Objects of these ids, or of these names. */
export function namesFilter(names: readonly string[]): string {
  return `this.id in ${celList(names)} || this.metadata.name in ${celList(names)}`;
}

/** Objects of these ids. */
export const idsFilter = (ids: readonly string[]): string => `this.id in ${celList(ids)}`;

/** A literal of the filter language: its escapes are those of JSON. */
export const celText = (text: string): string => JSON.stringify(text);

const celList = (texts: readonly string[]): string => `[${texts.map(celText).join(', ')}]`;

function labelFilter(text: string): string {
  const match = /^(!?)([^!=\s]+)(?:(!=|==?)(.*))?$/.exec(text.trim());
  const [, not = '', key = '', operator, value = ''] = match ?? [];
  if (match === null || (not !== '' && operator !== undefined)) {
    throw new StatusError('invalid_argument', `-l "${text}" must be KEY=VALUE, KEY!=VALUE, KEY or !KEY`);
  }
  const isThere = `${celText(key)} in this.metadata.labels`;
  if (operator === undefined) return not === '' ? isThere : `!(${isThere})`;
  const isEqual = `this.metadata.labels[${celText(key)}] == ${celText(value.trim())}`;
  return operator === '!=' ? `!(${isThere}) || !(${isEqual})` : isEqual;
}
