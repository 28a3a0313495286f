import { type BidChoice, Deployments } from '@quartermaster/api/market';
import { startMarketPostgres, startTestMarket, type TestMarket, type TestMarketOptions } from '@quartermaster/market/testing';
import { sampleSdl } from './sample-sdl.ts';

export const uakt = (amount: string) => ({ denom: 'uakt', amount });

/** A deployment of a tenant with one group, and its order. */
export async function deploy(service: TestMarket, tenant: string, choice?: BidChoice, sdl = sampleSdl()) {
  const { object } = await service
    .tenant(tenant)
    .client(Deployments)
    .create({ object: { spec: { sdl, ...(choice && { choice }) } } });
  if (object === undefined) throw new Error('nothing was made');
  return { deployment: object, order: { owner: tenant, dseq: object.status?.dseq ?? 0n, gseq: 1, oseq: 1 } };
}

/** Instances for one test file, on one server. */
export class TestMarkets {
  readonly #ends: (() => Promise<void>)[] = [];
  #postgres: Awaited<ReturnType<typeof startMarketPostgres>> | undefined;

  async start(options: TestMarketOptions = {}): Promise<TestMarket> {
    if (this.#postgres === undefined) {
      const postgres = await startMarketPostgres();
      this.#postgres = postgres;
      this.#ends.push(() => postgres.stop());
    }
    const market = await startTestMarket({ postgres: this.#postgres, ...options });
    this.#ends.push(() => market.stop());
    return market;
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end();
  }
}
