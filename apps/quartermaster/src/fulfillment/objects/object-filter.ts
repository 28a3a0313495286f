import { StatusError } from '@quartermaster/kernel';

/** Which objects a person wants. */
export interface Wanted {
  /** Names or ids; empty: all. */
  readonly names: readonly string[];
  /** CEL over `this`. */
  readonly filter?: string | undefined;
  /** `key=value`, `key!=value`, `key` or `!key`. */
  readonly labels: readonly string[];
  /** Also those that are being deleted. */
  readonly includeDeleted: boolean;
}

/** The filter of the API for what is wanted; undefined: everything. */
export function objectFilter({ names, filter, labels, includeDeleted }: Wanted): string | undefined {
  const conditions = [
    // First, since complaints about it count characters from the beginning.
    ...(filter === undefined || filter.trim() === '' ? [] : [filter]),
    ...(includeDeleted ? [] : ['!has(this.metadata.deletion_timestamp)']),
    ...(names.length === 0 ? [] : [namesFilter(names)]),
    ...labels.flatMap((text) => text.split(',')).map(labelFilter),
  ];
  if (conditions.length === 0) return undefined;
  return conditions.length === 1 ? conditions[0] : conditions.map((each) => `(${each})`).join(' && ');
}

/** A complaint about a filter that `objectFilter` made, with the position in what the person wrote. */
export function aboutOwnFilter(thrown: unknown, filter: string | undefined): unknown {
  if (!(thrown instanceof StatusError) || filter === undefined || !filter.startsWith('(')) return thrown;
  const message = thrown.message.replace(/at character (\d+)/, (_match, at: string) => `at character ${Math.max(1, Number(at) - 1)}`);
  return new StatusError(thrown.code, message, { details: thrown.details, cause: thrown.cause });
}

/** Objects of these ids, or of these names. */
export function namesFilter(names: readonly string[]): string {
  return `this.id in ${celList(names)} || this.metadata.name in ${celList(names)}`;
}

/** Objects of these ids. */
export const idsFilter = (ids: readonly string[]): string => `this.id in ${celList(ids)}`;

/** Objects whose ids are made of this one: orders, bids and leases of a deployment, or bids and leases of an order. */
export const belowFilter = (id: string): string => `this.id.startsWith(${celText(`${id}-`)})`;

/** What came of an order that is written OWNER/DSEQ/GSEQ/OSEQ, as providers name it. Undefined: it is written in another way. */
export function orderFilter(text: string): string | undefined {
  const [, owner, ...numbers] = /^([^/\s]+)\/(\d+)\/(\d+)\/(\d+)$/.exec(text) ?? [];
  if (owner === undefined) return undefined;
  const id = numbers.join('-');
  return `this.spec.order.owner == ${celText(owner)} && (this.id == ${celText(id)} || ${belowFilter(id)})`;
}

/** A literal of the filter language: its escapes are those of JSON. */
export const celText = (text: string): string => JSON.stringify(text);

const celList = (texts: readonly string[]): string => `[${texts.map(celText).join(', ')}]`;

function labelFilter(text: string): string {
  const match = /^(!?)([^!=\s]+)(?:(!=|==?)([^!=]*))?$/.exec(text.trim());
  const [, not = '', key = '', operator, value = ''] = match ?? [];
  if (match === null || (not !== '' && operator !== undefined)) {
    throw new StatusError('invalid_argument', `-l "${text}" must be KEY=VALUE, KEY!=VALUE, KEY or !KEY`);
  }
  const isThere = `${celText(key)} in this.metadata.labels`;
  if (operator === undefined) return not === '' ? isThere : `!(${isThere})`;
  const isEqual = `this.metadata.labels[${celText(key)}] == ${celText(value.trim())}`;
  return operator === '!=' ? `!(${isThere}) || !(${isEqual})` : isEqual;
}
