import type { Random } from '@quartermaster/kernel';
import { type KubeClient, kinds } from '@quartermaster/kube';
import { persistently } from './persistently.ts';

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
