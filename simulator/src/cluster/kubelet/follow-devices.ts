import { type CacheEntry, parseKey, type ReadableCache } from '@quartermaster/kube';
import type { SimulatedNode } from '../node/simulated-node.ts';
import { isTerminalPhase, type KubeletPod } from '../pods/kubelet-pod.ts';

/** Gives the nodes' devices to the pods that ask for them, and takes them back when those are over. Returns how to end it. */
export function followDevices(pods: ReadableCache<KubeletPod>, nodes: ReadonlyMap<string, SimulatedNode>): () => void {
  const look = ({ key, uid, value: { nodeName, phase, devices: requests } }: CacheEntry<KubeletPod>): void => {
    if (requests === undefined) return;
    const devices = nodes.get(nodeName)?.devices;
    const { namespace = '', name } = parseKey(key);
    if (isTerminalPhase(phase)) devices?.release(uid);
    else devices?.admit(uid, { namespace, name, requests });
  };
  return pods.subscribe({
    added: look,
    updated: look,
    deleted: ({ uid, value }) => {
      if (value.devices !== undefined) nodes.get(value.nodeName)?.devices.release(uid);
    },
  });
}
