/**
 * A process that runs one role, for tests that send it real signals. Arguments: how it behaves when it is stopped (`orderly`, `hung`) or
 * what goes wrong in it (`throws`, `rejects`, `fails`). It writes log lines, `role is ready` among them.
 */

import type { Role } from '../src/index.ts';
import { attachProcess, createLogger, defineConfig, Health, Lifecycle, Metrics, runRoles, watchConfig } from '../src/index.ts';

const mode = process.argv[2] ?? 'orderly';
const log = createLogger();
const lifecycle = new Lifecycle({ log, deadlineMs: 30_000 });
attachProcess(lifecycle, { log });

const config = defineConfig({});
const role: Role = {
  name: 'example',
  summary: 'Waits for its end.',
  config,
  start: ({ fail }) =>
    Promise.resolve({
      ready: () => {
        const end = ends.get(mode);
        if (end !== undefined) setImmediate(end, fail);
        return Promise.resolve();
      },
      stop: () => (mode === 'hung' ? new Promise<void>(() => {}) : undefined),
    }),
};

const ends = new Map<string, (fail: (thrown: unknown) => void) => void>([
  [
    'throws',
    () => {
      throw new TypeError('thrown by nobody');
    },
  ],
  ['rejects', () => void Promise.reject(new RangeError('rejected by nobody'))],
  ['fails', (fail) => fail(new Error('lost its way'))],
]);

await runRoles([role], { config: await watchConfig(config), log, lifecycle, metrics: new Metrics(), health: new Health() });
