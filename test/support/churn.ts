import type { Random } from '@quartermaster/kernel';
import { isFailure, type KubeClient, kinds } from '@quartermaster/kube';

/** How often to try again while the server is away; 50 ms apart. */
const tries = 600;

/**
 * Creates, changes and deletes config maps of a namespace at random, one after the other, and tries again whatever the
 * server's absence breaks. Returns how many writes it made.
 */
export async function churn(client: KubeClient, namespace: string, writes: number, random: Random): Promise<number> {
  for (let write = 0; write < writes; write += 1) {
    const name = `object-${Math.floor(random.next() * 40)}`;
    const isDelete = random.next() < 0.3;
    await persistently(async () => {
      if (isDelete) await client.delete(kinds.configMaps, { namespace, name }, { timeoutMs: 5_000 });
      else
        await client.apply(
          kinds.configMaps,
          { metadata: { namespace, name }, data: { write: String(write) } },
          { fieldManager: 'churn', timeoutMs: 5_000 },
        );
    });
  }
  return writes;
}

async function persistently(action: () => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await action();
      return;
    } catch (error) {
      if (tried === tries || !isFailure(error, 'connection', 'timeout', 'server', 'throttled')) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
  }
}
