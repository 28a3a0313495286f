/**
 * The real control plane under `quartermaster up --kubernetes real`, which starts this file as a child process: the product does not
 * import from test, and a checkout is where the control plane can be built. Speaks the protocol of the executable's
 * child processes: `start` and `stop` come in; `progress`, then `ready` or `failed` go out; a lost channel means stop.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, messageOf } from '@quartermaster/kernel';
import { ensureControlPlane } from '../../scripts/setup/control-plane.mjs';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { createKubeletIdentity, type KubeletIdentity } from '../simulator/kubelet-identity.ts';

const tell = (news: object): void => {
  if (process.connected) process.send?.(news, () => {});
};
const progress = (text: string): void => tell({ kind: 'progress', text });

const log = {
  info: progress,
  step: (title: string) => {
    progress(title);
    return { update: (text: string) => progress(`${title}: ${text}`), done: () => {}, fail: () => {} };
  },
};

interface Order {
  readonly kind: string;
  /** Of a benchmark that measures what is written to disk. */
  readonly etcdArgs?: readonly string[] | undefined;
}

let starting: Promise<ControlPlane> | undefined;
let kubelets: KubeletIdentity | undefined;
let isStopping = false;

async function start(etcdArgs: readonly string[] | undefined): Promise<ControlPlane> {
  await ensureControlPlane({ log });
  kubelets = await createKubeletIdentity();
  return await startControlPlane({
    etcdArgs,
    // Pods of a dead node move within a minute instead of six: somebody is watching.
    controllerManagerArgs: ['--node-monitor-grace-period=20s', '--node-monitor-period=2s'],
    apiserverArgs: [...kubelets.flags, '--default-not-ready-toleration-seconds=10', '--default-unreachable-toleration-seconds=10'],
    onProgress: progress,
  });
}

async function begin({ etcdArgs }: Order): Promise<void> {
  try {
    starting = start(etcdArgs);
    const { server, kubeconfig, directory } = await starting;
    const kubeletIdentity = join(directory, 'kubelet-identity.json');
    await writeFile(kubeletIdentity, JSON.stringify(kubelets?.server), { mode: 0o600 });
    tell({ kind: 'ready', summary: `etcd and Kubernetes at ${server}`, kubeconfig, kubeletIdentity });
  } catch (error) {
    tell({ kind: 'failed', code: codeOf(error), message: messageOf(error) });
  }
}

async function end(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  const controlPlane = await starting?.catch(() => undefined);
  await controlPlane?.stop();
  await kubelets?.remove();
  if (process.connected) process.disconnect();
}

process.on('message', (order: Order) => void (order.kind === 'start' ? begin(order) : end()));
process.on('disconnect', () => void end());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end());
