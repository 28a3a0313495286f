/**
 * A process with one part, for tests that send it real signals. Its argument says how the part behaves when it is stopped (`orderly`,
 * `hung`) or what goes wrong (`throws`, `rejects`). It writes log lines; the first is `ready`. Imports as little as it can, to start fast.
 */
import { Lifecycle } from '../src/lifecycle.ts';
import { createLogger } from '../src/logger.ts';
import { attachProcess } from '../src/process-lifecycle.ts';

const mode = process.argv[2] ?? 'orderly';
const log = createLogger();
const lifecycle = new Lifecycle({ log, deadlineMs: 30_000 });
lifecycle.add({ name: 'part', stop: () => (mode === 'hung' ? new Promise<void>(() => {}) : undefined) });
attachProcess(lifecycle, { log });

if (mode === 'throws') {
  setImmediate(() => {
    throw new TypeError('thrown by nobody');
  });
}
if (mode === 'rejects') void Promise.reject(new RangeError('rejected by nobody'));
log.info('ready');
