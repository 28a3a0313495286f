export { guardChanges } from './guard-changes.ts';
export { machineWithoutAccounts } from './machine-without-accounts.ts';
export { startTestPostgres, type TestPostgres } from './start-test-postgres.ts';
