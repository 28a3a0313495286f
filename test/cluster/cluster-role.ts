import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { RefusalKind, ReservationPhase } from '@quartermaster/api/cluster';
import { reservationType } from '@quartermaster/api/reservation';
import { systemRandom } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { addNode, type OperatorCluster } from '../inventory/operator-cluster.ts';
import { type RunningOperator, startOperator } from '../inventory/running-operator.ts';
import { freePorts } from '../kube/free-ports.ts';
import { type ClusterTokens, clusterTokens, installReservations, type RunningReplica, startReplica, until } from './running-cluster.ts';

const patience = { timeout: 40_000, interval: 50 };
const gib = 2 ** 30;
const order = (dseq: number) => ({ owner: 'akash1tenant', dseq: BigInt(dseq), gseq: 1, oseq: 1 });
const unit = { id: 1, count: 2, cpuMillis: 30_000n, memoryBytes: BigInt(gib) };
const request = { units: [unit] };
/** One owner may have all of it. */
const unbounded = ['--cluster-pending-owner-share=1', '--cluster-pending-share=1'];
const tooMuch = { units: [{ ...unit, count: 5 }] };

/** What the service does on an API server, with the inventory operator beside it. */
export function describeClusterRole(start: () => Promise<OperatorCluster>): void {
  describe('the cluster service, on the inventory of its cluster', () => {
    let directory: string;
    let cluster: OperatorCluster;
    let operator: RunningOperator;
    let startInventory: () => Promise<RunningOperator>;
    let tokens: ClusterTokens;
    let leader: RunningReplica;
    let standby: RunningReplica;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'cluster-role-'));
      cluster = await start();
      await installReservations(cluster.client);
      for (const name of ['n-1', 'n-2'])
        await addNode(cluster.client, name, { resources: { cpu: '64', memory: '64Gi', 'ephemeral-storage': '100Gi', pods: '110' } });
      // It comes back at the address that it had, which no outgoing connection may have been given meanwhile.
      const [port] = await freePorts(1, systemRandom);
      startInventory = () => startOperator({ kubeconfig: cluster.kubeconfig, args: [`--inventory-grpc-port=${port}`] });
      operator = await startInventory();
      const tokenFile = join(directory, 'inventory-token');
      await writeFile(tokenFile, operator.token);
      tokens = await clusterTokens();
      const options = { kubeconfig: cluster.kubeconfig, operator, tokenFile, tokens, args: unbounded };
      leader = await startReplica(options);
      const isFresh = async (replica: RunningReplica) => (await replica.client().getStatus({})).inventory?.fresh === true;
      await until(async () => (await leader.client().getStatus({})).isLeader && (await isFresh(leader)));
      // It leads before it has read what was promised before.
      await vi.waitFor(() => leader.client().unreserve({ order: order(1_000) }), patience);
      standby = await startReplica(options);
      // Whoever does not lead has to have seen who does.
      await until(async () => (await standby.client().getStatus({})).leader !== '' && (await isFresh(standby)));
    });

    afterAll(async () => {
      await standby?.stop();
      await leader?.stop();
      await operator?.stop();
      await tokens?.end();
      await cluster?.stop();
      await rm(directory, { recursive: true, force: true });
    });

    it('reserves, shows and gives back, on the leader and through the other replica', async () => {
      for (const [at, replica] of [leader, standby].entries()) {
        const client = replica.client();
        const { outcome } = await client.reserve({ order: order(at + 1), request });
        expect(outcome).toMatchObject({
          case: 'reservation',
          value: { confirmed: true, phase: ReservationPhase.PENDING, held: { cpuMillis: 60_000n }, owner: 'akash1tenant' },
        });
        const object = await cluster.client.get(reservationType, { name: `akash1tenant-${at + 1}-1-1` });
        expect(object).toMatchObject({
          spec: { owner: 'akash1tenant', order: { dseq: String(at + 1) } },
          status: { confirmed: true, phase: 'Pending' },
        });
        const planned = object.spec.plan.units.flatMap(({ replicas }) => replicas.map(({ node }) => node));
        expect(planned.toSorted()).toEqual(['n-1', 'n-2']);
      }
      const seen = async () => (await standby.client().listReservations({ node: 'n-1' })).reservations.length;
      await expect.poll(seen, patience).toBe(2);
      expect((await standby.client().getStatus({})).clusterId).toBe((await operator.grpc.getStatus({})).clusterId);
      // It may have seen the last one before that was confirmed.
      const counted = async () => {
        const { availability, pending } = await standby.client().getStatus({});
        return { cpu: availability?.cpu, count: pending?.count };
      };
      await expect.poll(counted, patience).toMatchObject({
        cpu: { allocatable: 128_000n, pending: 120_000n, available: 8_000n, overcommitted: 0n },
        count: 2n,
      });
      for (const at of [0, 1]) {
        expect((await standby.client().unreserve({ order: order(at + 1) })).reservation).toMatchObject({ order: { dseq: BigInt(at + 1) } });
      }
      expect((await cluster.client.list(reservationType)).items).toEqual([]);
      await expect.poll(seen, patience).toBe(0);
    });

    it('answers the same on every replica what would fit, and explains why not', async () => {
      for (const replica of [leader, standby]) {
        const { outcome } = await replica.client().checkFit({ request, owner: 'akash1tenant' });
        expect(outcome).toMatchObject({
          case: 'plan',
          value: { units: [{ replicas: [{}, {}] }], generation: { epoch: expect.any(String) } },
        });
        const explained = await replica.client().explainFit({ request: tooMuch });
        expect(explained.outcome).toMatchObject({
          case: 'refusal',
          value: {
            kind: RefusalKind.DOES_NOT_FIT,
            summary: 'It does not fit: there is room for 4 of 5 replicas.',
            nearestChanges: [{ change: { case: 'fewerReplicas', value: { unit: 1, count: 4 } } }, { change: { case: 'lessResource' } }],
          },
        });
        expect(explained.nodeGroups).toMatchObject([{ count: 2n, nodes: ['n-1', 'n-2'], shortfalls: [] }]);
      }
    });

    it('does the same by REST', async () => {
      const headers = { authorization: `Bearer ${await tokens.issue('provider')}`, 'content-type': 'application/json' };
      const json = (value: unknown) => JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
      const ask = async (method: string, path: string, body?: unknown) => {
        const call = requestSecurely(`${standby.served.rest}${path}`, { method, headers, agent: false, ca: tokens.tls.ca });
        call.end(body === undefined ? undefined : json(body));
        const [answer] = (await once(call, 'response')) as [IncomingMessage];
        return { status: answer.statusCode, body: JSON.parse(await text(answer)) as Record<string, unknown> };
      };
      expect(await ask('POST', '/v1/fit:check', { request })).toMatchObject({ status: 200, body: { plan: { units: [{ id: 1 }] } } });
      expect(await ask('POST', '/v1/fit:check', { request: { units: [{ id: 1 }] } })).toMatchObject({ status: 400 });
      expect(await ask('POST', '/v1/reservations', { order: order(3), request })).toMatchObject({
        status: 200,
        body: { reservation: { confirmed: true } },
      });
      await expect.poll(async () => (await ask('GET', '/v1/reservations/akash1tenant/3/1/1')).status, patience).toBe(200);
      expect(await ask('DELETE', '/v1/reservations/akash1tenant/3/1/1')).toMatchObject({
        status: 200,
        body: { reservation: { owner: 'akash1tenant' } },
      });
      expect(await ask('GET', '/v1/status')).toMatchObject({ status: 200, body: { isLeader: false, inventory: { fresh: true } } });
      expect(await ask('GET', '/v1/session')).toMatchObject({ status: 200, body: { role: 'admin' } });
    });

    it('lets readers read and nothing else, and tenants do nothing', async () => {
      const reader = leader.client(await tokens.issue('reader'));
      expect((await reader.checkFit({ request })).outcome.case).toBe('plan');
      for (const replica of [leader, standby]) {
        const write = replica.client(await tokens.issue('reader')).reserve({ order: order(4), request });
        await expect(write).rejects.toMatchObject({ code: 'permission_denied', message: expect.stringContaining('cluster-admins') });
      }
      await expect(leader.client(await tokens.issue('tenant')).getStatus({})).rejects.toMatchObject({ code: 'permission_denied' });
      await expect(leader.client('made-up').getStatus({})).rejects.toMatchObject({ code: 'unauthenticated' });
    });

    it('records the namespace of a lease, counts its pods once, and tells health and metrics of what is over-committed', async () => {
      const client = leader.client();
      await client.reserve({ order: order(5), request });
      onTestFinished(async () => void (await client.unreserve({ order: order(5) })));
      const labels = Object.fromEntries(
        Object.entries({ owner: 'akash1tenant', dseq: '5', gseq: '1', oseq: '1' }).map(([key, value]) => [
          `akash.network/lease.id.${key}`,
          value,
        ]),
      );
      await cluster.client.create(kinds.namespaces, { metadata: { name: 'lease-5', labels } });
      await cluster.client.apply(
        kinds.serviceAccounts,
        { metadata: { namespace: 'lease-5', name: 'default' } },
        { fieldManager: 'test', force: true },
      );
      const phase = async () => (await client.getReservation({ order: order(5) })).reservation?.phase;
      await expect.poll(phase, patience).toBe(ReservationPhase.ACTIVE);
      const resources = { requests: { cpu: '30', memory: '1Gi' } };
      const spec = { nodeName: 'n-1', containers: [{ name: 'main', image: 'registry.invalid/plain', resources }] };
      await cluster.client.create(kinds.pods, { metadata: { namespace: 'lease-5', name: 'web-0', labels }, spec });
      const counted = async () => {
        const { reservation } = await client.getReservation({ order: order(5) });
        return [reservation?.allocated?.cpuMillis, reservation?.held?.cpuMillis, reservation?.unitPods[0]?.pods];
      };
      await expect.poll(counted, patience).toEqual([30_000n, 30_000n, 1]);
      // Somebody else's pod takes what was promised.
      const foreign = {
        nodeName: 'n-2',
        containers: [{ name: 'main', image: 'registry.invalid/plain', resources: { requests: { cpu: '60', memory: '1Gi' } } }],
      };
      await cluster.client.create(kinds.pods, { metadata: { namespace: 'lease-1', name: 'intruder' }, spec: foreign });
      const condition = async () =>
        (await client.listReservations({ condition: 'OverCommitted' })).reservations.map(({ conditions }) => conditions[0]?.places);
      await expect.poll(condition, patience).toEqual([['node/n-2']]);
      const report = await leader.health.report('ready');
      expect(report.state).toBe('degraded');
      expect(JSON.stringify(report)).toContain('reservation akash1tenant-5-1-1 is over-committed: ');
      const metrics = await leader.metrics.scrape();
      expect(JSON.stringify(metrics)).toContain('quartermaster_cluster_overcommitted_reservations 1');
      await cluster.client.delete(kinds.pods, { namespace: 'lease-1', name: 'intruder' }, { gracePeriodSeconds: 0 });
      await expect.poll(condition, patience).toEqual([]);
    });

    it('promises nothing while the inventory is away, says why, and goes on by itself', async () => {
      const short = await startReplica({
        kubeconfig: cluster.kubeconfig,
        operator,
        tokenFile: join(directory, 'inventory-token'),
        tokens,
        args: [...unbounded, '--inventory-max-age=1s'],
      });
      onTestFinished(() => short.stop());
      const kind = async () => {
        const { outcome } = await short.client().checkFit({ request });
        return outcome.case === 'refusal' ? [outcome.value.kind, outcome.value.reasons[0]?.code] : outcome.case;
      };
      await expect.poll(kind, patience).toBe('plan');
      await writeFile(join(directory, 'inventory-token'), 'no-token');
      await operator.stop();
      await expect.poll(kind, patience).toEqual([RefusalKind.NOT_KNOWN, 'InventoryStale']);
      operator = await startInventory();
      await writeFile(join(directory, 'inventory-token'), operator.token);
      await expect.poll(kind, patience).toBe('plan');
    });
  });
}
