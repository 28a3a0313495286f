import { readFile } from 'node:fs/promises';
import { clone } from '@bufbuild/protobuf';
import { type BidChoice, type Deployment, DeploymentSchema, Deployments, type Order } from '@quartermaster/api/market';
import { createUuidV7, systemClock, systemRandom } from '@quartermaster/kernel';
import { itself, newOrder, type TestMarket, type Trade, trade } from '@quartermaster/market/testing';

const example = new URL('../../examples/web.yaml', import.meta.url);
/** As many as a provider bids for at the same time by its own settings. */
const ordersOfOneOwner = 10;
const orderLifetimeMs = 86_400_000;

/**
 * Deployments of an example with an order each, all in one transaction, so that a provider sees all of them at once. They are what the market makes of the SDL of the first
 * one, which is deployed as anybody would; `alsoDo` is told of each order.
 */
export async function placeOrders(
  service: TestMarket,
  count: number,
  choice: BidChoice,
  alsoDo: (open: Trade, order: Order, index: number) => void = () => {},
): Promise<readonly Deployment[]> {
  const { market } = service;
  const deployments = service.tenant('owner-model').client(Deployments);
  const { object: model } = await deployments.create({ object: { spec: { sdl: await readFile(example, 'utf8'), choice } } });
  if (model?.spec === undefined || model.status === undefined) throw new Error('the market made nothing of the example');
  await deployments.close({ id: model.id });
  const numbers = await market.database.query<{ readonly dseq: bigint }>(
    { text: `select nextval('dseq') as dseq from generate_series(1, $1::int)` },
    [count],
  );
  const newId = createUuidV7({ clock: systemClock, random: systemRandom });
  const trading = { ...market, clock: systemClock, newId, onWritten: () => market.feed.wake(), orderLifetimeMs };
  return await trade(trading, itself('bench'), model.id, async (open) =>
    numbers.map(({ dseq }, index) => {
      const owner = `owner-${Math.floor(index / ordersOfOneOwner)}`;
      const deployment = clone(DeploymentSchema, model);
      deployment.id = String(dseq);
      Object.assign(deployment.metadata ?? {}, { tenants: [owner], creationTimestamp: open.at });
      Object.assign(deployment.status ?? {}, { owner, dseq });
      for (const group of deployment.status?.groups ?? []) {
        const making = { owner, by: open.by, at: open.at };
        alsoDo(open, open.create(open.kinds.orders, newOrder(dseq, group, making, orderLifetimeMs)), index);
      }
      return open.create(open.kinds.deployments, deployment);
    }),
  );
}
