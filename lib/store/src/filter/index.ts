/** Filters in CEL and orders over protobuf messages: one expression, asked of PostgreSQL or in memory. */

export { compileFilter } from './compile-filter.ts';
export { compileOrder } from './compile-order.ts';
export type { ColumnForm, ColumnsOf, FieldColumn } from './contract/columns-of.ts';
export type { Filter, FilterOptions, FilterRoot } from './contract/filter.ts';
export type { Order, OrderOptions } from './contract/order.ts';
export { SqlParameters } from './contract/sql-parameters.ts';
export { microsOfTimestamp, toStorageJson } from './evaluate/storage-json.ts';
