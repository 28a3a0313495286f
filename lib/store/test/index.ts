export { guardChanges } from './guard-changes.ts';
export { startTestPostgres, type TestPostgres } from './start-test-postgres.ts';
