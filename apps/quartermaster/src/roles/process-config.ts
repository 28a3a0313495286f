import { defineConfig, logLevels } from '@quartermaster/service';
import { z } from 'zod';

/** Settings of a process that runs a role, whichever it is. */
export const processConfig = defineConfig({
  'log-level': z.enum(logLevels).default('info').meta({ description: 'The lowest level that is logged.', reloadable: true }),
  'admin-host': z.string().default('127.0.0.1').describe('Address that /livez, /readyz and /metrics are served on.'),
  'admin-port': z.int().min(0).max(65_535).default(0).describe('Their port; 0 takes any free one.'),
});
