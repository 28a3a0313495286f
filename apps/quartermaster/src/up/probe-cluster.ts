import { type Clock, messageOf, pause } from '@quartermaster/kernel';
import { type KubeClient, serverVersion } from '@quartermaster/kube';
import type { PartBoard } from './part-board.ts';

const intervalMs = 10_000;
const timeoutMs = 5_000;
const partName = 'Kubernetes API';

/** Asks the API server again and again whether it is there, and says so among the parts. Returns how to end it. */
export function probeCluster(client: KubeClient, parts: PartBoard, clock: Clock): () => Promise<void> {
  const ended = new AbortController();
  const { signal } = ended;
  parts.set(partName, 'external', { state: 'starting' });
  const probe = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const { gitVersion } = await serverVersion(client.transport, { timeoutMs, signal });
        parts.set(partName, 'external', { state: 'ready', facts: { version: gitVersion } });
      } catch (error) {
        if (signal.aborted) return;
        parts.set(partName, 'external', { state: 'degraded', reason: messageOf(error) });
      }
      await pause(clock, intervalMs, signal);
    }
  };
  const probing = probe();
  return async () => {
    ended.abort();
    await probing;
  };
}
