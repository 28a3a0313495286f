import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startControlPlane } from './control-plane.ts';
import type { KubectlTarget } from './kubectl.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster that test files share. */
    readonly sharedCluster: KubectlTarget;
  }
}

/**
 * Gives the test files of the run one cluster: the one that `QUARTERMASTER_TEST_KUBECONFIG` names, otherwise a control
 * plane that lives as long as the run. Returns how to end it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['QUARTERMASTER_TEST_KUBECONFIG'];
  if (given !== undefined && given !== '') {
    project.provide('sharedCluster', { kubeconfig: given });
    return async () => {};
  }
  // Test files share no nodes, so that there is nothing to schedule on.
  const controlPlane = await startControlPlane({ scheduler: false });
  project.provide('sharedCluster', {
    kubeconfig: controlPlane.kubeconfig,
    cacheDirectory: join(controlPlane.directory, 'kubectl-cache'),
  });
  return () => controlPlane.stop();
}
