import type { FieldColumn } from '../contract/columns-of.ts';
import { type FilterType, isWrapperField } from '../language/filter-type.ts';
import type { Node, NodeOf } from '../language/node.ts';
import { defaultOf, fromText, type Share } from './sql-scalars.ts';

/** Where SQL finds the value of a field, an item, an entry or a variable. */
export type Location =
  | { readonly kind: 'column'; readonly column: FieldColumn }
  /** Already in the form of its type. */
  | { readonly kind: 'value'; readonly sql: string }
  | Document;

export interface Document {
  readonly kind: 'document';
  /** A jsonb expression. */
  readonly json: string;
  /** From there, by the names of the contract. */
  readonly path: readonly string[];
  /** False where `json` may be NULL, which is unknown, and not just unset. */
  readonly isSure: boolean;
  /** From the root, while no item or entry is on the way. */
  readonly fromRoot: readonly string[] | undefined;
}

/** The names of a field of the root; undefined where an item or an entry is on the way. */
export function pathFromRoot(node: Node): readonly string[] | undefined {
  if (node.kind === 'root') return [];
  const above = node.kind === 'field' ? pathFromRoot(node.base) : undefined;
  return above && node.kind === 'field' ? [...above, node.field.name] : undefined;
}

/** The jsonb at the place; NULL where it is unset. */
export function jsonAt({ json, path }: Document): string {
  return path.length === 0 ? json : `(${json} #> '{${path.join(',')}}')`;
}

/** The same as text without quotes. */
export function textAt({ json, path }: Document): string {
  return `(${json} #>> '{${path.join(',')}}')`;
}

/** Applies `use` to the document with a name for its jsonb; unknown where that is unknown. */
export function whenSure(document: Document, share: Share, use: (document: Document) => string): string {
  if (document.isSure) return use(document);
  return share([document.json], (json) => `case when ${json} is not null then ${use({ ...document, json })} end`);
}

/** The value of a scalar field: an unset one is its default, but for wrappers. */
export function scalarField(document: Document, node: NodeOf<'field'>, share: Share): string {
  const read = (at: Document): string => fromText(node.type, textAt(at));
  if (isWrapperField(node.field)) return read(document);
  return whenSure(document, share, (at) => `coalesce(${read(at)}, ${defaultOf(node.type)})`);
}

/** The value of a column in the form of its type. */
export function columnValue({ sql, form, isNullable }: FieldColumn, type: FilterType): string {
  const value = form === 'bigint' ? `${sql}::numeric` : form === 'timestamptz' ? `(extract(epoch from ${sql}) * 1000000)` : sql;
  return isNullable === true ? `coalesce(${value}, ${defaultOf(type)})` : value;
}

/** Presence of a field that has a column; undefined where the column cannot tell it. Never NULL. */
export function columnPresence({ sql, form, isNullable }: FieldColumn, hasPresence: boolean): string | undefined {
  if (hasPresence) {
    if (isNullable === true) return `${sql} is not null`;
    return form === 'timestamptz' ? 'true' : undefined;
  }
  const filled = (test: string): string => (isNullable === true ? `coalesce(${test}, false)` : test);
  switch (form) {
    case 'text':
      return filled(`${sql} <> ''`);
    case 'bigint':
    case 'double':
      return filled(`${sql} <> 0`);
    case 'bool':
      return filled(sql);
    case 'timestamptz':
      return 'true';
    case 'text[]':
      return filled(`cardinality(${sql}) > 0`);
    case 'jsonb':
      return filled(`${sql} not in ('{}'::jsonb, '[]'::jsonb)`);
  }
}
