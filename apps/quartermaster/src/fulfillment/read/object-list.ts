import type { JsonObject } from '@bufbuild/protobuf';
import { textAt } from '../../text/json-path.ts';
import type { Listing, ListView, Look } from '../../text/listing.ts';
import { columnsOf } from '../kinds/columns.ts';
import type { ObjectApi } from '../objects/api-connection.ts';
import type { NamesOfIds } from '../objects/names-of-ids.ts';
import type { AnyObject } from '../objects/object-client.ts';
import { objectDocument, objectJson } from '../objects/object-json.ts';
import { nameOf, words } from '../objects/read-objects.ts';

/** Objects of one kind as they were read. */
export interface ObjectsState {
  readonly api: ObjectApi;
  readonly items: readonly AnyObject[];
  /** All that match, where these are only the first of them. */
  readonly total: number | undefined;
  readonly names: Pick<NamesOfIds, 'name'>;
  /** A last line about all of them. */
  readonly note?: string | undefined;
}

export interface ViewOptions {
  /** Programs get the object itself instead of a list. */
  readonly isOne: boolean;
  /** Whether there may be others. */
  readonly isFiltered: boolean;
}

/** Objects as `get` shows them. */
export function objectsView({ isOne, isFiltered }: ViewOptions): ListView<ObjectsState> {
  return {
    list: (state, look) => objectsListing(state, look, isFiltered),
    document: (state) => {
      const documents = documentsOf(state);
      const [first] = documents;
      return isOne && documents.length === 1 ? first : { items: documents };
    },
    names: ({ items }) => items.map(nameOf),
    objects: (state) => new Map(documentsOf(state).map((document) => [textAt(document, 'id'), document])),
  };
}

function documentsOf({ api, items }: ObjectsState): readonly JsonObject[] {
  return items.map((object) => objectDocument(api.kind, api.schema, object));
}

function objectsListing({ api, items, total, names, note }: ObjectsState, look: Look, isFiltered: boolean): Listing {
  const columns = columnsOf(api.kind, { isWide: look.wide, isPrivate: api.isPrivate });
  const columnLook = { ...look, nameOf: (kind: Parameters<NamesOfIds['name']>[0], id: string) => names.name(kind, id) };
  const more = total === undefined || total <= items.length ? [] : [look.paint.dim(`${items.length} of ${total}: --all shows the rest.`)];
  return {
    header: columns.map(({ header }) => header),
    rows: items.map((object) => {
      const json = objectJson(api.schema, object);
      return { key: object.id, cells: columns.map((column) => column.cell(json, columnLook)) };
    }),
    whenEmpty: `There are no ${words(api.kind.plural)}${isFiltered ? ' that match' : ''}.`,
    notes: [...more, ...(note === undefined ? [] : [note])].map((line) => `${line}\n`),
  };
}
