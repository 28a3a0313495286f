/** Starts a control plane, prints where it is as one line of JSON and lives on: for tests of what remains when it dies. */
import { startControlPlane } from './control-plane.ts';
import { processNames } from './control-plane-flags.ts';

const controlPlane = await startControlPlane({ scheduler: false });
const pids = processNames.map((name) => controlPlane.process(name).pid).filter((pid) => pid !== undefined);
console.log(JSON.stringify({ directory: controlPlane.directory, pids }));
setInterval(() => {}, 60_000);
