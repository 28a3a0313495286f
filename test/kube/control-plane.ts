import { isPortTaken } from './component-readiness.ts';
import type { ControlPlane, ControlPlaneOptions } from './control-plane-api.ts';
import { LoopbackControlPlane } from './loopback-control-plane.ts';
import { SupervisedProcesses } from './supervised-processes.ts';

export type { ControlPlane, ControlPlaneOptions } from './control-plane-api.ts';

const startAttempts = 3;

/**
 * Starts a control plane of its own; resolves when the API server is ready and there is the `default` namespace, with controllers also
 * its `default` service account.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt += 1) {
    const processes = await SupervisedProcesses.open();
    try {
      const controlPlane = await LoopbackControlPlane.prepare(processes, options);
      await controlPlane.startAll();
      return controlPlane;
    } catch (error) {
      await processes.stop();
      if (attempt === startAttempts || !isPortTaken(error)) throw error;
    }
  }
}
