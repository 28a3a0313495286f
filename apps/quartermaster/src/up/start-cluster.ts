import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Clock, StatusError } from '@quartermaster/kernel';
import { ChildPart } from '../cluster/child-part.ts';
import type { ChildReady } from '../cluster/child-protocol.ts';
import type { ClusterSettings } from '../cluster/cluster-settings.ts';
import type { Progress } from '../text/progress.ts';

export interface ClusterPart {
  readonly name: string;
  readonly pid: number | undefined;
  stop(withinMs: number): Promise<void>;
  kill(): void;
}

export interface StartClusterOptions {
  readonly kubernetes: 'simulated' | 'real';
  readonly settings: Omit<ClusterSettings, 'what'>;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Told of each process as soon as it exists, so that it is stopped whatever comes next. */
  readonly onPart: (part: ClusterPart) => void;
  readonly onReady: (name: string) => void;
  /** A process ended that should not have. */
  readonly onLost: (name: string, why: string) => void;
}

const player = fileURLToPath(new URL('../cluster/play-cluster.ts', import.meta.url));
const controlPlane = fileURLToPath(new URL('../../../../test/up/control-plane-child.ts', import.meta.url));

/** Starts the cluster that was asked for; resolves when its kubeconfig, at `settings.kubeconfig`, works and its nodes are there. */
export async function startCluster(options: StartClusterOptions): Promise<void> {
  const { kubernetes, settings } = options;
  if (kubernetes === 'simulated') {
    await startPart('simulated cluster', player, { ...settings, what: 'simulated' }, options);
    return;
  }
  if (!existsSync(controlPlane)) {
    throw new StatusError(
      'failed_precondition',
      '--kubernetes real needs a checkout of Quartermaster, where the control plane can be built',
    );
  }
  const { kubeconfig, kubeletIdentity } = await startPart('Kubernetes control plane', controlPlane, {}, options);
  copyFileSync(kubeconfig, settings.kubeconfig);
  chmodSync(settings.kubeconfig, 0o600);
  await startPart('simulated nodes', player, { ...settings, what: 'nodes', kubeletIdentity }, options);
}

async function startPart(name: string, program: string, settings: unknown, options: StartClusterOptions): Promise<ChildReady> {
  const { clock, onPart, onLost } = options;
  const step = options.progress.step(name);
  const child = new ChildPart({
    name,
    program,
    settings,
    clock,
    onProgress: (text) => step.update(text),
    onLost: (why) => onLost(name, why),
  });
  onPart({ name, pid: child.pid, stop: (withinMs) => child.stop(withinMs), kill: () => child.kill() });
  try {
    const ready = await child.ready();
    step.done(ready.summary);
    options.onReady(name);
    return ready;
  } catch (error) {
    step.fail();
    throw error;
  }
}
