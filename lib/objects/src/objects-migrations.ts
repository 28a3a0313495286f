import { fileURLToPath } from 'node:url';
import type { MigrationSet } from '@quartermaster/store';

/** The table of the audit log. */
export const objectsMigrations: MigrationSet = { name: 'objects', directory: fileURLToPath(new URL('../migrations', import.meta.url)) };
