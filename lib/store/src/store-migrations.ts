import { fileURLToPath } from 'node:url';
import type { MigrationSet } from './migrate.ts';

/** The tables of the store: changes, archive and secrets. */
export const storeMigrations: MigrationSet = { name: 'store', directory: fileURLToPath(new URL('../migrations', import.meta.url)) };
