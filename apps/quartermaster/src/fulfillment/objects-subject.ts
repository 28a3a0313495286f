import type { JsonObject } from '@bufbuild/protobuf';
import type { Listing, Look, Subject } from '../text/listing.ts';
import type { ObjectApi } from './api-connection.ts';
import type { NamesOfIds } from './names-of-ids.ts';
import type { AnyObject } from './object-client.ts';
import { columnsOf } from './object-columns.ts';
import { objectDocument } from './object-document.ts';
import { objectJson, textAt } from './object-json.ts';
import { words } from './read-objects.ts';

/** Objects of one kind as they were read. */
export interface ObjectsState {
  readonly api: ObjectApi;
  readonly items: readonly AnyObject[];
  /** All that match, where these are only the first of them. */
  readonly total: number | undefined;
  readonly names: Pick<NamesOfIds, 'name'>;
}

export interface SubjectOptions {
  /** Programs get the object itself instead of a list. */
  readonly isOne: boolean;
  /** Whether there may be others. */
  readonly isFiltered: boolean;
}

/** Objects as `get` shows them. */
export function objectsSubject({ isOne, isFiltered }: SubjectOptions): Subject<ObjectsState> {
  return {
    list: (state, look) => objectsListing(state, look, isFiltered),
    document: (state) => {
      const documents = documentsOf(state);
      const [first] = documents;
      return isOne && documents.length === 1 ? first : { items: documents };
    },
    objects: (state) => new Map(documentsOf(state).map((document) => [textAt(document, 'id'), document])),
  };
}

function documentsOf({ api, items }: ObjectsState): readonly JsonObject[] {
  return items.map((object) => objectDocument(api.kind, api.schema, object));
}

function objectsListing({ api, items, total, names }: ObjectsState, look: Look, isFiltered: boolean): Listing {
  const columns = columnsOf(api.kind.plural, { isWide: look.wide, isPrivate: api.isPrivate });
  const columnLook = { ...look, nameOf: (kind: Parameters<NamesOfIds['name']>[0], id: string) => names.name(kind, id) };
  const more = total === undefined || total <= items.length ? [] : [look.paint.dim(`${items.length} of ${total}: --all shows the rest.`)];
  return {
    header: columns.map(({ header }) => header),
    rows: items.map((object) => {
      const json = objectJson(api.schema, object);
      return { key: object.id, cells: columns.map((column) => column.cell(json, columnLook)) };
    }),
    whenEmpty: `There are no ${words(api.kind.plural)}${isFiltered ? ' that match' : ''}.`,
    notes: more.map((line) => `${line}\n`),
  };
}
