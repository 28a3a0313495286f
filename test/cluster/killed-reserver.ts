import { contractsFolder } from '@quartermaster/api/manifests';
import { type Reservation, reservationType } from '@quartermaster/api/reservation';
import { definedSteps } from '@quartermaster/kernel';
import { type KubeObject, kinds } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { patience } from '../contract/client-fixtures.ts';
import type { ContractServer } from '../contract/contract-server.ts';
import { untilAvailable } from '../support/until-available.ts';
import { ReservingProcess } from './reserving-process-order.ts';

// Steps are listed once the code that has them is loaded.
await import('@quartermaster/cluster');

/** Reservations that fit: each takes a half. */
const room = [101, 102];
const reserving = [...definedSteps('reserve'), ...definedSteps('confirm'), ...definedSteps('leader-write')];

/** Leaders that are killed at every step, each followed by its standby. */
export function describeKilledReserver(server: () => ContractServer, rounds: number): void {
  describe('a leader that is killed', () => {
    const running: ReservingProcess[] = [];
    let namespace: string;

    beforeAll(async () => {
      const [definition = {}] = await readManifests(contractsFolder, ['reservation']);
      await server().client.apply<KubeObject>(kinds.customResourceDefinitions, definition, { fieldManager: 'test' });
      await vi.waitFor(() => server().client.list(reservationType, { limit: 1 }), patience);
      namespace = await server().namespace();
      await replenish();
    });

    afterAll(async () => {
      await Promise.all(running.map((process) => process.kill()));
    });

    async function replenish(): Promise<void> {
      while (running.length < 2) running.push(await ReservingProcess.start(server().kubeconfig, namespace));
    }

    /** The dead one does not come back, so nobody need wait for its lease to run out. */
    async function died(process: ReservingProcess): Promise<void> {
      expect(await process.ended).toBe('SIGKILL');
      running.splice(running.indexOf(process), 1);
      await server().client.delete(kinds.leases, { namespace, name: 'cluster' });
    }

    function leader(): Promise<ReservingProcess> {
      return vi.waitFor(async () => {
        for (const process of running) if (await process.leads()) return process;
        throw new Error('nobody leads');
      }, patience);
    }

    /** Whoever leads; one may lose its term on a busy machine. */
    const byLeader = <T>(call: (next: ReservingProcess) => Promise<T>): Promise<T> =>
      untilAvailable(async () => await call(await leader()));
    const stored = async (): Promise<readonly Reservation[]> => (await server().client.list(reservationType)).items;

    /** Whatever was in the making: the next leader can promise exactly what is left, and gives all of it back. */
    async function expectNothingLost(): Promise<void> {
      const replenished = replenish();
      await leader();
      const before = await stored();
      expect(before.filter(({ status }) => status?.confirmed !== true)).toEqual([]);
      const promised = before.map(({ spec }) => Number(spec.order.dseq));
      const answers = await Promise.all(room.map((dseq) => byLeader((next) => next.reserve(dseq))));
      expect(answers.filter((uid) => uid !== '')).toHaveLength(room.length - promised.length);
      const after = await stored();
      expect(after.filter(({ status }) => status?.confirmed)).toHaveLength(room.length);
      expect(after).toHaveLength(room.length);
      for (const { spec } of after) await byLeader((next) => next.unreserve(Number(spec.order.dseq)));
      expect(await stored()).toEqual([]);
      await replenished;
    }

    for (let round = 1; round <= rounds; round += 1) {
      it.each(reserving)(`at %s promises nothing twice and leaves nothing behind (${round} of ${rounds})`, async (step) => {
        const first = await leader();
        first.dieAt(step);
        await expect(first.reserve(1)).rejects.toThrow('has ended');
        await died(first);
        await expectNothingLost();
      });

      it.each(definedSteps('unreserve'))(`at %s gives back all or nothing (${round} of ${rounds})`, async (step) => {
        const first = await leader();
        const uid = await first.reserve(1);
        first.dieAt(step);
        await expect(first.unreserve(1)).rejects.toThrow('has ended');
        await died(first);
        const next = await leader();
        expect((await stored()).map(({ metadata }) => metadata?.uid)).toEqual(step === 'unreserve/decided' ? [uid] : []);
        expect(await next.unreserve(1)).toBe(step === 'unreserve/decided' ? uid : '');
        await expectNothingLost();
      });

      it.each(definedSteps('take-over'))(`at %s leaves the rest to the next one (${round} of ${rounds})`, async (step) => {
        const first = await leader();
        const kept = await first.reserve(1);
        for (const process of running) if (process !== first) process.dieAt(step);
        const second = running.find((process) => process !== first) ?? first;
        first.dieAt('reserve/created');
        await expect(first.reserve(2)).rejects.toThrow('has ended');
        await died(first);
        await died(second);
        await replenish();
        const third = await leader();
        expect((await stored()).map(({ metadata }) => metadata?.uid)).toEqual([kept]);
        expect(await third.reserve(1)).toBe(kept);
        await expectNothingLost();
      });
    }
  });
}
