import { declareRole } from '@quartermaster/runtime';
import { SharedKey } from '@quartermaster/service';
import type { Installation, SimulatedFaults } from '../installation-view.ts';
import { consoleRules, consoleSettings } from './console-settings.ts';

/** The web console: a page, sessions in sealed cookies, and a table of upstreams. It holds no object of another role. */
export const consoleRole = declareRole({
  name: 'console',
  prefix: 'console',
  summary: 'Serves the web console: signs people in and asks the other roles for them.',
  settings: consoleSettings,
  rules: consoleRules,
  kubernetes: true,
  servers: { http: 8443 },
  up: 'last',
  deployment: { folder: new URL('../../deploy/console/', import.meta.url), contracts: [], optional: ['kubernetes-rbac'] },
  load: async () => (await import('./start-console-role.ts')).startConsoleRole,
});

/** What whoever runs the console in a process with other roles has for it. */
export interface ConsoleSurroundings {
  /** What the process consists of, for those who run it. */
  installation(): Installation;
  /** What goes wrong on purpose; undefined where nothing is simulated, or while nobody knows. */
  faults?(signal: AbortSignal): Promise<SimulatedFaults | undefined>;
  /** Told where the console serves, at each start. */
  served(url: string): void;
}

export const sharedConsole = new SharedKey<ConsoleSurroundings>('surroundings of the console');
