import type { Tone } from '@quartermaster/api/states';
import type { RowKey } from '../../filter/row-filter.ts';
import { nameOf } from '../api/api-object.ts';
import type { AuditEntry } from '../api/audit-entry.ts';
import { kindNamed, type ObjectKind, objectHref, objectKinds } from '../api/object-kind.ts';
import { changesLine, outcomeWords } from '../audit/audit-words.ts';
import type { LoggedEvent } from './event-log.ts';

/** One line of the page: something happened to one object. */
export interface EventLine {
  readonly key: string;
  readonly at: number;
  readonly tone: Tone;
  readonly word: string;
  /** Of the object. */
  readonly kind: EventKind;
  readonly objectId: string;
  readonly objectName: string;
  /** Where the object can be looked at; undefined when it is gone, or has no page. */
  readonly href: string | undefined;
  readonly note: string;
}

/** What lines can be chosen by: `hosts` in the address, `host` on the page. */
export interface EventKind {
  readonly name: string;
  readonly singular: string;
}

// type of an event -> in words
const types: Readonly<Record<LoggedEvent['type'], { readonly tone: Tone; readonly word: string }>> = {
  created: { tone: 'good', word: 'created' },
  updated: { tone: 'allocated', word: 'changed' },
  deleted: { tone: 'held', word: 'deleted' },
  signaled: { tone: 'plain', word: 'signaled' },
};

export function lineOfEvent({ id, type, payload, object, at }: LoggedEvent): EventLine {
  const kind = objectKinds.find((each) => each.payload === payload);
  return {
    key: id,
    at,
    ...types[type],
    kind: kind ?? { name: payload, singular: payload },
    objectId: object.id,
    objectName: nameOf(object),
    href: type === 'deleted' ? undefined : hrefOf(kind, object.id),
    note: object.metadata.deletion_timestamp === undefined ? `version ${object.metadata.version}` : 'being deleted',
  };
}

const hrefOf = (kind: ObjectKind | undefined, id: string): string | undefined => (kind === undefined ? undefined : objectHref(kind, id));

/** What was written before the console was opened; undefined for a call that was refused: nothing happened. */
export function lineOfEntry(entry: AuditEntry): EventLine | undefined {
  const kind = kindNamed(entry.kind);
  if (kind === undefined || !['created', 'updated', 'deleted', 'archived'].includes(entry.outcome)) return undefined;
  return {
    key: `audit ${entry.id}`,
    at: Date.parse(entry.at),
    ...outcomeWords(entry),
    kind,
    objectId: entry.object_id,
    objectName: entry.object_name === '' ? entry.object_id : entry.object_name,
    href: entry.outcome === 'archived' ? undefined : hrefOf(kind, entry.object_id),
    note: `${changesLine(entry)}${changesLine(entry) === '' ? '' : ' '}by ${entry.actor}`,
  };
}

/** What the filter of events can ask for. */
export const eventKeys: readonly RowKey<EventLine>[] = [
  { name: 'name', note: 'of the object', value: ({ objectName }) => objectName },
  { name: 'id', note: 'of the object', value: ({ objectId }) => objectId },
  { name: 'kind', note: 'of the object', value: ({ kind }) => kind.singular, isListed: true },
  { name: 'what', note: 'what happened', value: ({ word }) => word, isListed: true },
  { name: 'details', note: 'what changed, and by whom', value: ({ note }) => note },
];
