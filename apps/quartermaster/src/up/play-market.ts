import { BidChoice, Deployments } from '@quartermaster/api/market';
import { marketRole } from '@quartermaster/market/roles';
import { openRpcChannel } from '@quartermaster/rpc';
import { loadScenario } from '@quartermaster/simulator';
import { inStep } from '../text/progress.ts';
import type { LocalAccess } from './local-access.ts';
import type { RoleSite } from './start-roles.ts';
import type { UpContext } from './start-up.ts';

/** Deploys what the tenants of a scenario deploy, each with a token of its own. What a tenant has deployed once stays as it is: closed, too. */
export async function playMarket({ progress }: UpContext, scenarioName: string, roles: RoleSite, access: LocalAccess): Promise<void> {
  const { tenants } = (await loadScenario(scenarioName)).datacenter;
  const traders = tenants.filter(({ deployments }) => deployments.length > 0);
  const served = roles.served.of(marketRole.name);
  if (traders.length === 0 || served === undefined) return;
  await inStep(progress, 'market', async (step) => {
    for (const { name, deployments } of traders) {
      step.update(name);
      const token = await access.issue({ name, role: 'tenant', groups: [name] });
      const channel = openRpcChannel({ address: served.grpc, token: () => token });
      try {
        const client = channel.client(Deployments);
        for (const { name: called, sdl } of deployments) {
          const { items } = await client.list({ filter: `this.metadata.name == ${JSON.stringify(called)}`, limit: 1, skipTotal: true });
          if (items.length === 0)
            await client.create({ object: { metadata: { name: called }, spec: { sdl, choice: BidChoice.CHEAPEST } } });
        }
      } finally {
        channel.close();
      }
    }
    const count = traders.reduce((sum, { deployments }) => sum + deployments.length, 0);
    return { result: undefined, detail: `${count} deployments of ${traders.length} tenants` };
  });
}
