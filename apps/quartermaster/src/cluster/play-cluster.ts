/** The program of the process in which the simulated cluster runs. `quartermaster up` starts it and tells it what to play. */
import { createLogger } from '@quartermaster/service';
import { clusterSettingsSchema } from './cluster-settings.ts';
import { serveParent } from './serve-parent.ts';
import { startSimulation } from './simulation.ts';

serveParent((given, onProgress, signal) => {
  const settings = clusterSettingsSchema.parse(given);
  const format = process.stderr.isTTY ? 'pretty' : 'json';
  const log = createLogger({ level: settings.logLevel, format, destination: process.stderr }).child({ part: 'simulator' });
  return startSimulation(settings, log, onProgress, signal);
});
