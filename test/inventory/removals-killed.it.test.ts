import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { RemovalState, RemovalsService } from '@quartermaster/api/removals';
import { definedSteps } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import type { ServiceClient } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  addNode,
  hardwareOf,
  type OperatorCluster,
  operatorNamespace,
  patience,
  report,
  startSimulatedCluster,
} from './operator-cluster.ts';
import { type SteppedOperator, startSteppedOperator } from './start-stepped-operator.ts';

const wanted = ['gpu-0', 'gpu-1', 'gpu-2'];
const args = ['--inventory-hardware-keep=1s'];
const gone = Array.from({ length: 7 }, (_, index) => `gone-${index}`);
/** How many objects are left when the leader dies there. */
const leftAt = {
  'removals/looked': wanted.length + gone.length,
  'removals/persisted': wanted.length + gone.length,
  'removals/deleted': wanted.length + gone.length - 1,
  'removals/recorded': wanted.length,
};
// Steps are listed once the code that has them is loaded.
await import('@quartermaster/runtime/host');

describe('a leader that is killed while it removes what a person approves', () => {
  let cluster: OperatorCluster;

  beforeAll(async () => {
    cluster = await startSimulatedCluster();
    for (const name of wanted) {
      await addNode(cluster.client, name);
      await report(cluster.client, name, hardwareOf(name));
    }
  });

  afterAll(() => cluster?.stop());

  const left = async (): Promise<string[]> =>
    (await cluster.client.list(nodeHardwareType)).items.map(({ metadata }) => metadata?.name ?? '').toSorted();

  async function start(): Promise<SteppedOperator> {
    const operator = await startSteppedOperator({ kubeconfig: cluster.kubeconfig, args });
    onTestFinished(() => operator.kill());
    return operator;
  }

  function personAt({ connect }: SteppedOperator): Pick<ServiceClient<typeof RemovalsService>, 'listRemovals' | 'approveRemoval'> {
    const channel = connect();
    onTestFinished(() => channel.close());
    return channel.client(RemovalsService);
  }

  const removalsOf = async (person: Pick<ServiceClient<typeof RemovalsService>, 'listRemovals'>, state: RemovalState) =>
    (await person.listRemovals({})).removals.filter((removal) => removal.state === state);

  it('lists the steps of removals', () => {
    expect(Object.keys(leftAt)).toEqual(definedSteps('removals'));
  });

  it.each(Object.entries(leftAt))(
    'at %s after an approval: nobody is asked again, all that was approved goes, and nothing else does',
    { timeout: 120_000 },
    async (step, remaining) => {
      const { client } = cluster;
      for (const name of gone) await report(client, name, hardwareOf(name));
      const first = await start();
      const person = personAt(first);
      const id = await vi.waitFor(async () => {
        const [waiting] = await removalsOf(person, RemovalState.WAITING);
        expect(waiting?.names.toSorted()).toEqual(gone);
        return waiting?.id ?? '';
      }, patience);
      // The leader has not judged yet when the approval is stored and answered.
      await first.holdAt('removals/looked');
      await person.approveRemoval({ id });
      expect(await left()).toEqual([...gone, ...wanted]);
      first.dieAt(step);
      expect(await first.ended).toBe('SIGKILL');
      expect(await left()).toHaveLength(remaining);

      // The dead one does not come back, so nobody need wait for its lease to run out.
      await client.delete(kinds.leases, { namespace: operatorNamespace, name: 'quartermaster-inventory' });
      const second = await start();
      const asked = personAt(second);
      await vi.waitUntil(async () => {
        expect(await removalsOf(asked, RemovalState.WAITING)).toEqual([]);
        return (await left()).length === wanted.length && (await removalsOf(asked, RemovalState.APPROVED)).length === 0;
      }, patience);
      expect(await left()).toEqual(wanted);
      await second.stop();
    },
  );
});
