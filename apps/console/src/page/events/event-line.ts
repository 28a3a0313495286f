import type { Tone } from '@quartermaster/api/states';
import { nameOf } from '../api/api-object.ts';
import type { AuditEntry } from '../api/audit-entry.ts';
import { kindNamed, type ObjectKind, objectKinds } from '../api/object-kind.ts';
import { changesLine, outcomeWords } from '../audit/audit-words.ts';
import type { RowKey } from '../filter/row-filter.ts';
import type { LoggedEvent } from './event-log.ts';

/** One line of the page: something happened to one object. */
export interface EventLine {
  readonly key: string;
  readonly at: number;
  readonly tone: Tone;
  readonly word: string;
  /** Of the object; undefined for one that the console does not know. */
  readonly kind: ObjectKind | undefined;
  readonly objectId: string;
  readonly objectName: string;
  /** Whether the object may still be there to look at. */
  readonly isGone: boolean;
  readonly note: string;
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
    kind,
    objectId: object.id,
    objectName: nameOf(object),
    isGone: type === 'deleted',
    note: object.metadata.deletion_timestamp === undefined ? `version ${object.metadata.version}` : 'being deleted',
  };
}

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
    isGone: entry.outcome === 'archived',
    note: `${changesLine(entry)}${changesLine(entry) === '' ? '' : ' '}by ${entry.actor}`,
  };
}

/** What the filter of events can ask for. */
export const eventKeys: readonly RowKey<EventLine>[] = [
  { name: 'name', note: 'of the object', value: ({ objectName }) => objectName },
  { name: 'id', note: 'of the object', value: ({ objectId }) => objectId },
  { name: 'kind', note: 'of the object', value: ({ kind }) => kind?.singular ?? '', isListed: true },
  { name: 'what', note: 'what happened', value: ({ word }) => word, isListed: true },
  { name: 'details', note: 'what changed, and by whom', value: ({ note }) => note },
];
