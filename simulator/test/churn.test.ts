import type { Log } from '@quartermaster/kernel';
import { isFailure, kinds } from '@quartermaster/kube';
import { expect, it, onTestFinished } from 'vitest';
import { ClusterControllers } from '../src/cluster/index.ts';
import { startSimulator } from './running-simulator.ts';

it('controllers tell of no failure when objects vanish under their hands', { timeout: 60_000 }, async () => {
  const { client } = await startSimulator();
  const failures: unknown[] = [];
  const log: Log = { debug() {}, info() {}, warn() {}, error: (message, fields) => failures.push({ message, ...fields }) };
  const stopping = new AbortController();
  const running = new ClusterControllers({ client, log }).run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
  });
  const namespace = 'default';
  const labels = { app: 'churn' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const sets = async (prefix = '') => {
    const { items } = await client.list(kinds.replicaSets, { namespace });
    return items.filter(({ metadata }) => metadata?.name?.startsWith(prefix) === true);
  };
  await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const name = `churn-${i}`;
      await client.create(kinds.deployments, {
        metadata: { namespace, name },
        spec: { replicas: 2, selector: { matchLabels: labels }, template },
      });
      await expect.poll(async () => (await sets(`${name}-`)).length, { timeout: 30_000 }).toBe(1);
      // The sets at the same time as what owns them, so that neither controller knows yet what the other finds.
      const own = await sets(`${name}-`);
      await Promise.all([
        ...own.map(({ metadata }) => client.delete(kinds.replicaSets, { namespace, name: metadata?.name ?? '' }).catch(unlessGone)),
        client.delete(kinds.deployments, { namespace, name }),
      ]);
    }),
  );
  await expect.poll(async () => (await sets()).length, { timeout: 30_000 }).toBe(0);
  await expect.poll(async () => (await client.list(kinds.pods, { namespace })).items.length, { timeout: 30_000 }).toBe(0);
  expect(failures).toEqual([]);
});

function unlessGone(error: unknown): void {
  if (!isFailure(error, 'not-found')) throw error;
}
