import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusalKind, ReservationService } from '@quartermaster/api/cluster';
import { reservationType } from '@quartermaster/api/reservation';
import { inventoryTokens } from '@quartermaster/inventory/testing';
import { codeOf, systemRandom } from '@quartermaster/kernel';
import { openRpcChannel, type RpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addNode, type OperatorCluster, patience } from '../inventory/operator-cluster.ts';
import { freePorts } from '../kube/free-ports.ts';
import { clusterTokens, installReservations } from './running-cluster.ts';
import { type FastRole, startFastRole } from './start-fast-role.ts';

/** An API server that can be stopped. */
export interface StoppableCluster extends OperatorCluster {
  /** Path of the kubeconfig for those who are to lose it. */
  readonly stoppable: string;
  halt(): Promise<void>;
  resume(): Promise<void>;
}

/** All time in the processes passes so many times as fast. */
const times = 20;
const outageMs = 180_000 / times;
const standing = 100;
const nodes = ['n-1', 'n-2', 'n-3', 'n-4'];
const perNode = 40;
/** One of `perNode` on a node. */
const request = { units: [{ id: 1, count: 1, cpuMillis: 1000n, memoryBytes: 2n ** 30n }] };
const orderOf = (dseq: number) => ({ owner: `akash1tenant${dseq % 20}`, dseq: BigInt(dseq), gseq: 1, oseq: 1 });
/** Nothing ends by itself, however long a busy machine takes: a minute of it is twenty of theirs. */
const limits = [
  '--cluster-pending-lifetime=24h',
  '--cluster-pending-per-owner=1000',
  '--cluster-pending-owner-share=1',
  '--cluster-pending-share=1',
];

/** What two replicas of the cluster service, as processes, make of an API server and of an inventory that are away. The tests build on each other. */
export function describeOutage(start: () => Promise<StoppableCluster>): void {
  describe(`the cluster service with ${standing} reservations, its time ${times} times as fast`, () => {
    let directory: string;
    let cluster: StoppableCluster;
    let operator: FastRole;
    const replicas: FastRole[] = [];
    const channels: RpcChannel[] = [];
    const clients: ServiceClient<typeof ReservationService>[] = [];
    const ends: (() => Promise<void>)[] = [];
    let startOperator: () => Promise<FastRole>;
    let uids: readonly string[];

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'cluster-outage-'));
      cluster = await start();
      await installReservations(cluster.client);
      const resources = { cpu: String(perNode), memory: '512Gi', 'ephemeral-storage': '1000Gi', pods: '110' };
      for (const name of nodes) await addNode(cluster.client, name, { resources });
      const [inventory, tokens] = await Promise.all([inventoryTokens(), clusterTokens()]);
      ends.push(inventory.end, tokens.end);
      const { stoppable: kubeconfig } = cluster;
      // It comes back at the address that it had, which no outgoing connection may have been given meanwhile.
      const [port] = await freePorts(1, systemRandom);
      startOperator = () =>
        startFastRole({ role: 'inventory', kubeconfig, times, args: [...inventory.args, `--inventory-grpc-port=${port}`] });
      operator = await startOperator();
      const tokenFile = join(directory, 'inventory-token');
      await writeFile(tokenFile, await inventory.issue('admin'));
      const args = [
        `--cluster-inventory-address=${operator.grpc}`,
        `--cluster-inventory-token-file=${tokenFile}`,
        ...tokens.args,
        ...limits,
      ];
      const token = await tokens.issue('admin');
      for (let count = 0; count < 2; count += 1) {
        const replica = await startFastRole({ role: 'cluster', kubeconfig, times, args });
        replicas.push(replica);
        const channel = openRpcChannel({ address: replica.grpc, tls: tokens.tls, token: () => token, tries: 1 });
        channels.push(channel);
        clients.push(channel.client(ReservationService));
      }
      for (let dseq = 0; dseq < standing; dseq += 10) await Promise.all(Array.from({ length: 10 }, (_, index) => promise(dseq + index)));
      uids = await stored();
      expect(uids).toHaveLength(standing);
      // The replica that does not lead hears of them by its watch, which the outage would cut.
      await vi.waitFor(async () => expect(await Promise.all([shown(0), shown(1)])).toEqual([uids, uids]), patience);
    });

    afterAll(async () => {
      for (const channel of channels) channel.close();
      for (const replica of replicas) await replica.kill();
      await operator?.kill();
      for (const end of ends) await end();
      await cluster?.stop();
      await rm(directory, { recursive: true, force: true });
    });

    const clientAt = (at: number): ServiceClient<typeof ReservationService> => {
      const client = clients[at % clients.length];
      if (client === undefined) throw new Error('there are no replicas');
      return client;
    };
    const stored = async () => (await cluster.client.list(reservationType)).items.map(({ metadata }) => metadata?.uid ?? '').toSorted();
    /** Promises, as the replica lists them: not attempts that may have been made, of which nobody knows more now. */
    const shown = async (at: number) => {
      const { reservations } = await clientAt(at).listReservations({ pageSize: 1000 });
      return reservations.flatMap(({ uid, confirmed }) => (confirmed ? uid : [])).toSorted();
    };

    /** What came of it, as `plan`, the code of an error, or the reason of a refusal with its kind. */
    async function outcomeOf(asked: Promise<{ readonly outcome: Outcome }>): Promise<string> {
      try {
        const { outcome } = await asked;
        if (outcome.case !== 'refusal') return outcome.case ?? '';
        const { kind, reasons } = outcome.value;
        return `${kind === RefusalKind.NOT_KNOWN ? 'not known' : kind}: ${reasons[0]?.code}`;
      } catch (thrown) {
        return codeOf(thrown);
      }
    }

    const fit = (at: number): Promise<string> => outcomeOf(clientAt(at).checkFit({ request }));
    const reserve = (dseq: number): Promise<string> => outcomeOf(clientAt(dseq).reserve({ order: orderOf(dseq), request }));
    const fits = async () => await Promise.all([fit(0), fit(1)]);

    /** Through one replica or the other; a leader may come and go on a busy machine. */
    async function promise(dseq: number): Promise<void> {
      await vi.waitFor(async () => expect(await reserve(dseq)).toBe('reservation'), patience);
    }

    it('cancels none and promises nothing while the API server is away for three minutes', async () => {
      const cutAt = performance.now();
      await cluster.halt();
      const isUnknown = (answer: string) => answer.startsWith('not known: Inventory');
      const answers = { fit: new Set<string>(), reserve: new Set<string>() };
      let dseq = 1000;
      const refusing = async (): Promise<boolean> => {
        answers.reserve.add(await reserve((dseq += 1)));
        return (await fits()).every(isUnknown);
      };
      await expect.poll(refusing, patience).toBe(true);
      // The inventory is older than it may be: from here on, to the end of the outage, nothing may be planned.
      for (; performance.now() - cutAt < outageMs; dseq += 1) {
        for (const answer of await fits()) answers.fit.add(answer);
        answers.reserve.add(await reserve(dseq));
        for (const at of [0, 1]) expect(await shown(at)).toEqual(uids);
      }
      expect([...answers.fit].filter((answer) => !isUnknown(answer))).toEqual([]);
      expect([...answers.reserve].filter((answer) => !isUnknown(answer) && answer !== 'unavailable')).toEqual([]);
      expect(answers.reserve.size).toBeGreaterThan(0);
      for (const replica of [operator, ...replicas]) expect(replica.hasEnded()).toBe(false);
    });

    it('goes on by itself when the API server is back', async () => {
      await cluster.resume();
      await expect.poll(fits, patience).toEqual(['plan', 'plan']);
      expect(await stored()).toEqual(uids);
      await promise(standing);
      await promise(standing + 1);
      expect((await stored()).filter((uid) => uids.includes(uid))).toEqual(uids);
      uids = await stored();
      expect(uids).toHaveLength(standing + 2);
      for (const at of [0, 1]) {
        await expect.poll(() => shown(at), patience).toEqual(uids);
        const available = nodes.length * perNode - standing - 2;
        const expected = { pending: BigInt(1000 * (standing + 2)), available: BigInt(1000 * available), overcommitted: 0n };
        await expect.poll(async () => (await clientAt(at).getStatus({})).availability?.cpu, patience).toMatchObject(expected);
      }
    });

    it('refuses with a reason while the inventory is away, lets what stands be given back, and goes on by itself', async () => {
      await operator.kill();
      await expect.poll(fits, patience).toEqual(['not known: InventoryStale', 'not known: InventoryStale']);
      await expect.poll(() => reserve(2000), patience).toBe('not known: InventoryStale');
      expect(await stored()).toEqual(uids);
      for (const at of [0, 1]) expect(await shown(at)).toEqual(uids);
      const givenBack = async (): Promise<number> => {
        await clientAt(0)
          .unreserve({ order: orderOf(standing) })
          .catch(() => undefined); // A leader may come and go on a busy machine.
        return (await stored()).length;
      };
      await expect.poll(givenBack, patience).toBe(standing + 1);
      operator = await startOperator();
      await expect.poll(fits, patience).toEqual(['plan', 'plan']);
      await promise(2001);
      expect(await stored()).toHaveLength(standing + 2);
    });
  });
}

type Outcome =
  | { readonly case: 'plan' | 'reservation' | undefined }
  | { readonly case: 'refusal'; readonly value: { readonly kind: RefusalKind; readonly reasons: readonly { readonly code: string }[] } };
