import { KubeClient, kinds } from '@quartermaster/kube';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../kube/control-plane.ts';
import { LoopbackProxy } from './loopback-proxy.ts';

/** A control plane of its own, an administrator who reaches it directly, and a proxy in front of it for everybody else. */
export interface FaultyServer {
  readonly controlPlane: ControlPlane;
  readonly admin: KubeClient;
  readonly proxy: LoopbackProxy;
  newNamespace(): Promise<string>;
  stop(): Promise<void>;
}

export async function startFaultyServer(options: ControlPlaneOptions = {}): Promise<FaultyServer> {
  const controlPlane = await startControlPlane({ scheduler: false, ...options });
  const admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
  const proxy = await LoopbackProxy.start(controlPlane.server);
  let namespaces = 0;
  return {
    controlPlane,
    admin,
    proxy,
    newNamespace: async () => {
      namespaces += 1;
      const name = `faults-${namespaces}`;
      await admin.create(kinds.namespaces, { metadata: { name } });
      return name;
    },
    stop: async () => {
      await proxy.stop();
      await admin.close();
      await controlPlane.stop();
    },
  };
}
