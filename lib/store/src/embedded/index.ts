export { ensureDatabase } from './ensure-database.ts';
export { guardChanges } from './guard-changes.ts';
export { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './start-embedded-postgres.ts';
export { startTestPostgres, type TestPostgres, type TestPostgresOptions } from './start-test-postgres.ts';
