import { nodeHardwareType } from '@quartermaster/api/node-hardware';
import { RemovalState, RemovalsService } from '@quartermaster/api/removals';
import { definedSteps, StatusError } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import { openRpcChannel } from '@quartermaster/rpc';
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
// Steps are listed once the code that has them is loaded.
await import('@quartermaster/runtime/host');
const steps = definedSteps('removals');

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

  async function start(step?: string): Promise<SteppedOperator> {
    const operator = await startSteppedOperator({ kubeconfig: cluster.kubeconfig, args, step });
    onTestFinished(() => operator.kill());
    return operator;
  }

  /** Approves whatever waits, until it is told to end. Gives the ids that it saw waiting. */
  async function person(address: string | undefined, isOver: () => Promise<boolean> | boolean): Promise<ReadonlySet<string>> {
    const seen = new Set<string>();
    if (address === undefined) return seen;
    const channel = openRpcChannel({ address, tries: 1 });
    onTestFinished(() => channel.close());
    const client = channel.client(RemovalsService);
    const look = async (): Promise<void> => {
      const { removals } = await client.listRemovals({});
      for (const { id } of removals.filter(({ state }) => state === RemovalState.WAITING)) {
        seen.add(id);
        await client.approveRemoval({ id });
      }
    };
    await vi.waitUntil(async () => {
      // It dies whenever it likes.
      await look().catch((thrown: unknown) => {
        if (!(thrown instanceof StatusError)) throw thrown;
      });
      return await isOver();
    }, patience);
    return seen;
  }

  it('lists the steps of removals', () => {
    expect(steps).toEqual(['removals/looked', 'removals/persisted', 'removals/deleted', 'removals/recorded']);
  });

  it.each(steps)(
    'at %s: the person is asked once, all that was approved goes, and nothing else does',
    { timeout: 120_000 },
    async (step) => {
      const { client } = cluster;
      const gone = Array.from({ length: 7 }, (_, index) => `gone-${index}`);
      for (const name of gone) await report(client, name, hardwareOf(name));

      const first = await start(step);
      let signal: string | null | undefined;
      void first.ended.then((by) => {
        signal = by;
      });
      const asked = await person(first.address, () => signal !== undefined);
      expect(await first.ended).toBe('SIGKILL');
      const before = await left();
      // Without an approval nothing went.
      if (asked.size === 0) expect(before).toEqual([...gone, ...wanted]);

      // The dead one does not come back, so nobody need wait for its lease to run out.
      await client.delete(kinds.leases, { namespace: operatorNamespace, name: 'quartermaster-inventory' });
      const second = await start();
      const stored = async (): Promise<string> =>
        (await client.get(kinds.configMaps, { namespace: operatorNamespace, name: 'quartermaster-inventory-removals' })).data?.[
          'hardware'
        ] ?? '';
      const isDone = async () => (await left()).length === wanted.length && !(await stored()).includes('approval');
      const askedAgain = await person(second.address, isDone);
      expect(new Set([...asked, ...askedAgain]).size).toBe(1);
      expect(await left()).toEqual(wanted);
      await second.stop();
    },
  );
});
