import type { ServedKind } from '../kinds/served-kind.ts';
import { type JsonObject, metaOf } from '../object/api-object.ts';
import { jsonPathText } from './json-path.ts';
import type { ObjectEncoder } from './object-encoder.ts';
import { ageColumn, ageOf, builtInColumns, type Column, nameColumn } from './table-columns.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** The columns that people see of a kind: its own, or those of its CRD. */
function tableColumns({ custom, storageKey }: ServedKind): readonly Column[] {
  if (custom === undefined) return builtInColumns(storageKey);
  return custom.columns.length === 0 ? [nameColumn, ageColumn] : [nameColumn, ...custom.columns.map(customColumn)];
}

function customColumn(column: JsonObject): Column {
  const path = String(column['jsonPath'] ?? '');
  const type = String(column['type'] ?? 'string');
  return {
    name: String(column['name'] ?? ''),
    type,
    format: typeof column['format'] === 'string' ? column['format'] : undefined,
    priority: typeof column['priority'] === 'number' ? column['priority'] : 0,
    cell: (object, now) => {
      const text = jsonPathText(object, path);
      if (text === undefined) return type === 'date' ? '<unknown>' : null;
      if (type === 'date') return ageOf(text, now);
      return type === 'integer' || type === 'number' ? Number(text) : text;
    },
  };
}

export interface TableOptions {
  readonly include: IncludeObject;
  readonly now: number;
  readonly encoder: Pick<ObjectEncoder, 'text'>;
}

/** The JSON of a table in pieces, since there may be very many rows: the head, the rows with commas between them, and `]}`. */
export class TableWriter {
  readonly #columns: readonly Column[];
  readonly #options: TableOptions;

  constructor(kind: ServedKind, options: TableOptions) {
    this.#columns = tableColumns(kind);
    this.#options = options;
  }

  /** Watches send the columns only once. */
  head(metadata: JsonObject, { withColumns }: { readonly withColumns: boolean }): string {
    const columnDefinitions = withColumns
      ? this.#columns.map(({ name, type, format = '', priority }) => ({ name, type, format, description: '', priority }))
      : null;
    const head = JSON.stringify({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions });
    return `${head.slice(0, -1)},"rows":[`;
  }

  row(object: JsonObject): string {
    const { include, now, encoder } = this.#options;
    const cells = JSON.stringify(this.#columns.map(({ cell }) => cell(object, now)));
    if (include === 'None') return `{"cells":${cells}}`;
    return `{"cells":${cells},"object":${encoder.text(include === 'Object' ? object : partialMetadata(object))}}`;
  }
}

/** The table of one object. */
export function tableOf(kind: ServedKind, object: JsonObject, options: TableOptions & { readonly withColumns: boolean }): string {
  const table = new TableWriter(kind, options);
  const metadata = { resourceVersion: metaOf(object).resourceVersion ?? '' };
  return `${table.head(metadata, options)}${table.row(object)}]}`;
}

const partialMetadata = (object: JsonObject): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: object['metadata'] ?? {},
});
