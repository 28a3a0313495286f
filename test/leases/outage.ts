import { LeaseHealth, LeaseRunState } from '@quartermaster/api/cluster';
import { ProviderMarket } from '@quartermaster/api/market';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { times } from '../support/soak.ts';
import { expectHeldEnd } from './held-end.ts';
import { nodeSpec } from './leased-cluster.ts';
import { limitMs, pass, runMany, type StoppableCluster, standing, untilAllRun, wordOf } from './outage-sight.ts';
import { type Deployed, RunningLeases } from './running-leases.ts';

const nodes = [nodeSpec('n-1', 1), nodeSpec('n-2', 2)];
const minutesAway = 3;
const pathOf = ({ name }: { readonly name: string }): string => `/${ProviderMarket.typeName}/${name}`;

export interface OutageOptions {
  /** What becomes of the API server. */
  readonly how: string;
  readonly start: (specs: typeof nodes) => Promise<StoppableCluster>;
  readonly count: number;
  /** All time in the processes of the provider passes so many times as fast. */
  readonly pace: number;
  /** Of the provider's time, shorter than the outage: leases that were taken for sick for so long would be closed, and ordered anew, within it. */
  readonly deadlineMs: number;
}

/**
 * What the processes of a provider make of an API server that is away. The tests build on each other.
 *
 * Only the provider's time passes faster. For the cluster's own controllers the outage is shorter then than the time after which they call a node silent, and what is not ready
 * afterwards would be so for `minReadySeconds` of theirs, which is longer than the deadlines are: in soak there is one at a pace of 1.
 */
export function describeOutageOfLeases({ how, start, count, pace, deadlineMs }: OutageOptions): void {
  const outageMs = (minutesAway * 60_000) / pace;
  const timeout = limitMs + 4 * outageMs;
  const deadlines = [`--lease-unhealthy-timeout=${deadlineMs}ms`, `--manifest-timeout=${deadlineMs}ms`];
  // Whoever was away waits up to 30 s of its own time before it tries again.
  const patience = { timeout: 60_000 + 60_000 / pace, interval: 50 };
  const ofTime = pace === 1 ? '' : ` of the provider's time, ${outageMs / 1000} s of the cluster's`;
  describe(`${count} leases whose API server ${how}, for three minutes${ofTime}`, { timeout }, () => {
    let cluster: StoppableCluster;
    let line: RpcProxy;
    let site: RunningLeases;
    let all: readonly Deployed[];
    let before: readonly string[];
    let writesBefore: number | undefined;

    beforeAll(async () => {
      cluster = await start(nodes);
      const marketThrough = async (address: string): Promise<string> => {
        line = await RpcProxy.start(address);
        return line.address;
      };
      site = await RunningLeases.start(cluster, { pace, marketThrough });
      all = await runMany(site, count);
      // Many at once may start slower than the deadlines allow.
      await site.endService();
      await site.startService({ args: deadlines });
      await untilAllRun(site, all, patience.timeout);
      before = await standing(site);
      expect(before).toHaveLength(3 * count);
      writesBefore = (await cluster.serviceWrites?.())?.length;
    }, timeout);

    afterAll(async () => {
      await site?.stop();
      await line?.stop();
    });

    /** Also what failed, or was not answered: the market would show what came of it alone. */
    const expectNoClosing = (): void => {
      expect(line.calls).toContain(pathOf(ProviderMarket.method.createBid));
      expect(line.calls).not.toContain(pathOf(ProviderMarket.method.closeLease));
    };

    const shown = async () => (await site.leases().listLeases({ pageSize: 1000 })).leases;

    it('are not seen, and none is taken for failed, while the API server is away', async () => {
      const cutAt = performance.now();
      await cluster.halt();
      const healths = async () => [...new Set((await shown()).map(({ health }) => wordOf(LeaseHealth, health)))];
      await expect.poll(healths, patience).toEqual(['UNKNOWN']);
      for (;;) {
        const leases = await shown();
        expect(leases).toHaveLength(count);
        for (const { state, services } of leases) {
          expect(state).toBe(LeaseRunState.ACTIVE);
          expect(services.flatMap(({ problems }) => problems.map(({ code }) => code))).toEqual(['NotSeen']);
        }
        expect((await site.leases().listLeases({ pageSize: 1 })).stale).toContain('pods of leases');
        if (performance.now() - cutAt >= outageMs) break;
        await pass(50);
      }
    });

    it('run as before when it is back: no namespace and no pod is another one, and the market was asked to close none', async () => {
      await cluster.resume();
      const isLeading = async () => (await site.reservations().getStatus({})).isLeader;
      await expect.poll(isLeading, patience).toBe(true);
      const healths = async () => [
        ...new Set((await shown()).map(({ health, marketState }) => `${wordOf(LeaseHealth, health)} ${marketState}`)),
      ];
      await expect.poll(healths, patience).toEqual(['HEALTHY active']);
      await untilAllRun(site, all, patience.timeout);
      expect(await standing(site)).toEqual(before);
      expectNoClosing();
    });

    it('are torn down by nothing that the outage left behind, for longer than their deadlines', async () => {
      await pass((1.5 * deadlineMs) / pace);
      await untilAllRun(site, all);
      expect(await standing(site)).toEqual(before);
      expectNoClosing();
      expect((await site.removals().listRemovals({})).removals).toEqual([]);
      // Only the real server keeps a log.
      const writes = await cluster.serviceWrites?.();
      if (writes === undefined) return;
      expect(writesBefore).toBeGreaterThan(0);
      expect(writes.slice(writesBefore).filter(({ verb }) => verb.startsWith('delete'))).toEqual([]);
    });

    if (times(0, 1) === 0) return;

    it('give nothing back while something of theirs cannot be removed, say what it is, and go once it can', async () => {
      const [held, ...others] = all as [Deployed, ...Deployed[]];
      await expectHeldEnd(site, held, pace);
      const isOfOthers = (text: string): boolean => !text.split(' ').includes(held.namespace);
      expect(await standing(site, others)).toEqual(before.filter(isOfOthers));
    });
  });
}
