import { contractsFolder } from '@quartermaster/api/manifests';
import { type Reservation, reservationType } from '@quartermaster/api/reservation';
import { orderName } from '@quartermaster/cluster';
import { type KubeObject, kinds, startCache } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { patience } from '../contract/client-fixtures.ts';
import type { ContractServer } from '../contract/contract-server.ts';
import { ReservingProcess } from './reserving-process-order.ts';

/** A pause takes as long. */
const leaseMs = 1_000;
type Paused = 'create' | 'confirm';
/** What fits. */
const room = 2;

/** A leader that is stopped between its last look at the lease and the socket, and goes on after another one took its place. */
export function describePausedReserver(server: () => ContractServer, times: number): void {
  describe('a leader that is paused while it reserves', () => {
    let namespace: string;

    beforeAll(async () => {
      const [definition = {}] = await readManifests(contractsFolder, ['reservation']);
      await server().client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
      await vi.waitFor(() => server().client.list(reservationType, { limit: 1 }), patience);
      namespace = await server().namespace();
    });

    async function start(): Promise<ReservingProcess> {
      const process = await ReservingProcess.start(server().kubeconfig, namespace, leaseMs);
      onTestFinished(() => process.kill());
      return process;
    }

    /** Every state that the server ever had. */
    function watchPromises(): { readonly most: () => number; readonly arrivals: Record<Paused, number>; pausedAt: Paused } {
      const promised = new Set<string>();
      let most = 0;
      const cache = startCache(server().client, {
        type: reservationType,
        project: ({ status }: Reservation) => status?.confirmed === true,
      });
      const watched = { most: () => most, arrivals: { create: 0, confirm: 0 }, pausedAt: 'create' as Paused };
      const look = (uid: string, isPromised: boolean): void => {
        if (isPromised) promised.add(uid);
        else promised.delete(uid);
        most = Math.max(most, promised.size);
      };
      cache.subscribe({
        added: ({ key, uid, value }) => {
          if (key === orderName({ owner: 'akash1x', dseq: 1n, gseq: 1, oseq: 1 })) watched.arrivals[watched.pausedAt] += 1;
          look(uid, value);
        },
        updated: ({ uid, value }) => look(uid, value),
        deleted: ({ uid }) => look(uid, false),
      });
      onTestFinished(() => cache.stop());
      return watched;
    }

    const stored = async (): Promise<readonly Reservation[]> => (await server().client.list(reservationType)).items;

    it(`never lets more be promised than there is, ${times} times`, { timeout: 60_000 + times * 5_000 }, async () => {
      const both = [await start(), await start()];
      const watched = watchPromises();
      // Attempts did reach the server: some before their leader was replaced, and some after.
      const areEnough = () => watched.arrivals.confirm > times / 4 && watched.arrivals.create > 0;
      // On a busy machine one may lose its lease before it is paused: then there is one more.
      for (let time = 0; time < times || (time < 4 * times && !areEnough()); time += 1) {
        const paused = await vi.waitFor(async () => await leading(both), patience);
        const successor = both.find((each) => each !== paused) ?? paused;
        watched.pausedAt = time % 2 === 0 ? 'create' : 'confirm';
        paused.pauseAt(watched.pausedAt);
        let answer = '';
        const late = paused.reserve(1).then(
          () => (answer = 'promised'),
          () => (answer = 'refused'),
        );
        await vi.waitUntil(async () => answer !== '' || (await successor.leads()), patience);
        if (answer !== '') {
          expect(answer).toBe('refused');
          paused.pauseAt('none');
          continue;
        }
        const answers = await Promise.all([2, 3].map((dseq) => vi.waitFor(() => successor.reserve(dseq), patience)));
        expect(answers).not.toContain('');
        paused.pauseAt('none');
        paused.goOn();
        expect(await late).toBe('refused');
        // What arrived late is nobody's promise, and goes.
        await expect.poll(async () => (await stored()).map(({ spec }) => spec.order.dseq).toSorted(), patience).toEqual(['2', '3']);
        expect((await stored()).filter(({ status }) => status?.confirmed)).toHaveLength(room);
        // By whoever leads by now.
        await Promise.all([2, 3].map((dseq) => vi.waitFor(async () => (await leading(both)).unreserve(dseq), patience)));
        await expect.poll(stored, patience).toEqual([]);
      }
      expect(watched.most()).toBe(room);
      // The last of them may be told a moment later.
      await expect.poll(areEnough, patience).toBe(true);
    });
  });

  async function leading(processes: readonly ReservingProcess[]): Promise<ReservingProcess> {
    for (const process of processes) if (await process.leads()) return process;
    throw new Error('nobody leads');
  }
}
