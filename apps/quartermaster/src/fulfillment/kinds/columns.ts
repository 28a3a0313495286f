import type { JsonObject } from '@bufbuild/protobuf';
import type { State, StatedHost } from '@quartermaster/api/states';
import { entriesAt, isJsonObject, listAt, textAt } from '../../text/json-path.ts';
import type { Look } from '../../text/listing.ts';
import { stateText } from '../../text/state-text.ts';
import { ago } from '../../text/time-text.ts';
import type { Kind, KindPlural } from './kind.ts';

/** How a column shows an object. */
export interface Column {
  readonly header: string;
  /** Only with `-o wide`. */
  readonly isWide?: boolean | undefined;
  /** Only for those who see the provider's side. */
  readonly isPrivate?: boolean | undefined;
  cell(object: JsonObject, look: ColumnLook): string;
}

export interface ColumnLook extends Look {
  /** The name of what is referred to. */
  readonly nameOf: (kind: KindPlural, id: string) => string;
}

/** Objects as the API writes them in JSON have what states are told by under the same names. */
export type StateOf = (object: StatedHost) => State;

export const nothing = '-';
export const orNothing = (text: string): string => (text === '' ? nothing : text);

export const text = (header: string, path: string, more: Pick<Column, 'isWide' | 'isPrivate'> = {}): Column => ({
  header,
  ...more,
  cell: (object) => orNothing(textAt(object, path)),
});

export const reference = (header: string, path: string, kind: KindPlural, more: Pick<Column, 'isWide' | 'isPrivate'> = {}): Column => ({
  header,
  ...more,
  cell: (object, look) => orNothing(look.nameOf(kind, textAt(object, path))),
});

export const name: Column = { header: 'NAME', cell: (object) => displayName(object) };
export const age: Column = { header: 'AGE', cell: (object, { now }) => ageText(textAt(object, 'metadata.creation_timestamp'), now) };
/** The state of an object, as one of the functions of states decides it. */
export const state = (stateOf: StateOf): Column => ({ header: 'STATE', cell: (object, { paint }) => stateText(stateOf(object), paint) });
export const title = text('TITLE', 'title');
/** With `-o wide`, of every kind. */
export const common: readonly Column[] = [
  text('ID', 'id', { isWide: true }),
  { header: 'TENANTS', isWide: true, cell: (object) => orNothing(listAt(object, 'metadata.tenants').join(',')) },
  { header: 'LABELS', isWide: true, cell: (object) => orNothing(labelsText(object)) },
  { header: 'VERSION', isWide: true, cell: (object) => textAt(object, 'metadata.version') || '0' },
];

/** The columns of a kind for what the caller sees of it. */
export function columnsOf(
  { columns }: Kind,
  { isWide, isPrivate }: { readonly isWide: boolean; readonly isPrivate: boolean },
): readonly Column[] {
  return columns.filter((column) => (isWide || column.isWide !== true) && (isPrivate || column.isPrivate !== true));
}

/** The name, or the id of what has none. */
export function displayName(object: JsonObject): string {
  return textAt(object, 'metadata.name') || textAt(object, 'id');
}

/** `3h`; `-` when it never happened. */
export function ageText(stamp: string, now: number): string {
  return stamp === '' ? nothing : ago(now - Date.parse(stamp));
}

/** `workers: 3 gpu-large, 1 cpu-small`. */
export function setsText(object: JsonObject, path: string, { nameOf }: ColumnLook): string {
  const sets = entriesAt(object, path).map(([key, set]) => {
    const [size, hostClass] = isJsonObject(set) ? [textAt(set, 'size') || '0', textAt(set, 'host_class')] : ['0', ''];
    return `${key}: ${[size, nameOf('host-classes', hostClass)].filter((part) => part !== '').join(' ')}`;
  });
  return orNothing(sets.toSorted().join(', '));
}

function labelsText(object: JsonObject): string {
  return entriesAt(object, 'metadata.labels')
    .map(([key, value]) => (value === '' ? key : `${key}=${String(value)}`))
    .toSorted()
    .join(',');
}

/** How many hosts the sets at a path are to have. */
export function wantedHosts(object: JsonObject, path: string): number {
  return entriesAt(object, path).reduce((sum, [, set]) => sum + (isJsonObject(set) ? Number(textAt(set, 'size')) : 0), 0);
}
