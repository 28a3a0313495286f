/** `npm start`: runs what there is. Until the executable is there, that is the control plane, once it has been built. */
import { runCommand } from './setup/command.mjs';
import { findControlPlane } from './setup/control-plane.mjs';
import { ensureWorkspace, runOnNode24 } from './setup/node24.mjs';
import { createLog } from './setup/progress.mjs';

const needed = /** @type {const} */ (['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl']);

const whatThereIs = `The \`quartermaster\` executable is not part of the workspace yet. What there is:

  npm run kube    builds and starts a real Kubernetes control plane (about 7 minutes the first time, seconds after that);
                  from then on \`npm start\` starts it too
  npm test        checks everything and runs all tests, on that control plane
  npm run bench   measures the libraries against a baseline`;

await runCommand(async () => {
  if (process.argv.length > 2) throw new Error(`npm start takes no arguments; it was given: ${process.argv.slice(2).join(' ')}`);
  await ensureWorkspace({ log: createLog() });
  const { binaries } = findControlPlane();
  if (needed.some((name) => binaries[name] === undefined)) {
    console.log(whatThereIs);
    return 0;
  }
  console.log('The `quartermaster` executable is not part of the workspace yet: starting the control plane, as `npm run kube` does.');
  return runOnNode24('scripts/kube.mjs', []);
});
