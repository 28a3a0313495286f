/** Filters in CEL and orders over protobuf messages: one expression, asked of PostgreSQL or in memory. */
export type { ColumnForm, ColumnsOf, FieldColumn } from './columns-of.ts';
export { compileFilter } from './compile-filter.ts';
export { compileOrder } from './compile-order.ts';
export type { Filter, FilterOptions, FilterRoot } from './filter.ts';
export type { Order, OrderOptions } from './order.ts';
export { SqlParameters } from './sql-parameters.ts';
export { microsOfTimestamp, toStorageJson } from './storage-json.ts';
