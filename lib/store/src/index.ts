export type { ConnectionOptions, Revealable } from './connection.ts';
export type { Database, PoolFigures, Queryable, Statement, Transaction, TransactionOptions } from './database.ts';
export { type DatabaseFailure, databaseFailure } from './database-failure.ts';
export type { Bookmark, Change, ChangeType, NewChange } from './feed/change.ts';
export type { Sealed } from './key-ring.ts';
export * from './objects/index.ts';
export { type DatabaseObserver, type OpenDatabaseOptions, openDatabase } from './open-database.ts';
export { formatTimestamp, parseTimestamp, type Timestamp, timestampToDate } from './timestamp.ts';
