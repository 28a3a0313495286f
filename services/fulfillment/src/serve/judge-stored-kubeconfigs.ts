import { randomUUID } from 'node:crypto';
import type { Clock, Log } from '@quartermaster/kernel';
import { recordWrite } from '@quartermaster/objects';
import { type Database, lockOf, type Transaction, WriteBatch } from '@quartermaster/store';
import type { Kinds } from '../kinds/kinds.ts';
import { withJudgedKubeconfig } from '../rules/index.ts';

export interface JudgeOptions {
  readonly database: Database;
  readonly hubs: Kinds['hubs'];
  /** UUIDv7. */
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

const storedKubeconfigs = {
  name: 'hubs-with-kubeconfig',
  text: "select object_id from secrets where kind = 'hubs' and path = 'kubeconfig' order by object_id",
};

/**
 * Says in the condition of each hub whether the kubeconfig that an earlier release stored for it breaks the rules of this one, so that lists and events show it, too; it is
 * handed out to nobody, whether or not this was done. Any number of replicas may do it at once. What cannot be judged is logged and keeps nothing from starting.
 */
export async function judgeStoredKubeconfigs({ database, hubs, newId, clock, log }: JudgeOptions): Promise<void> {
  const judge = async (tx: Transaction, id: string): Promise<void> => {
    const hub = await hubs.store.get(tx, id);
    const kubeconfig = (await hubs.store.secretsOf(tx, id)).get('kubeconfig');
    const after = hub && kubeconfig && withJudgedKubeconfig(hub, kubeconfig, clock.now());
    if (hub === undefined || after === undefined || hubs.store.isSame(hub, after)) return;
    const batch = new WriteBatch();
    hubs.store.update(batch, hub, after);
    const origin = { actor: 'quartermaster', role: 'service', peer: '', method: 'start', requestId: randomUUID() };
    recordWrite(batch, { origin }, hubs, newId, hub, after);
    await batch.flush(tx);
    log.warn('the stored kubeconfig of a hub was judged anew', { hub: id, isRefused: after.status !== undefined });
  };
  const rows = await database.query<{ readonly object_id: string }>(storedKubeconfigs);
  for (const { object_id: id } of rows) {
    try {
      await database.transaction([lockOf('hubs', id)], (tx) => judge(tx, id));
    } catch (error) {
      log.error('the stored kubeconfig of a hub cannot be judged', { hub: id, error });
    }
  }
}
