import { messageOf } from '@quartermaster/kernel';
import { loadScenario } from '@quartermaster/simulator';
import { fillDatacenter } from '../datacenter/fill-datacenter.ts';
import { inStep } from '../text/progress.ts';
import type { UpFulfillment } from './start-alone.ts';
import type { UpContext } from './start-up.ts';

/** Who can ask for clusters, with the file of a token of each. */
export interface TenantAccess {
  readonly name: string;
  readonly tokenFile: string;
}

/** More hosts than these are brought in while everything else is in use already. */
const hostsBeforeReady = 500;

/** Fills the fulfillment service with the datacenter of the scenario, and gives each of its tenants a token. */
export async function playDatacenter(context: UpContext, scenarioName: string, { served, access }: UpFulfillment): Promise<TenantAccess[]> {
  const { progress, log, lifecycle } = context;
  const scenario = await loadScenario(scenarioName);
  const { hosts, tenants } = scenario.datacenter;
  const nodes = scenario.racks.flatMap((rack) => rack.nodes).reduce((sum, { count }) => sum + count, 0);
  const machines = hosts.reduce((sum, { count }) => sum + count, nodes);
  const fill = async (onProgress: (text: string) => void): Promise<void> => {
    const token = await access.issue({ name: 'scenario', role: 'admin' });
    await fillDatacenter({ address: served().grpc, token, scenario, onProgress, log, signal: lifecycle.signal });
  };
  if (machines <= hostsBeforeReady) {
    await inStep(progress, 'datacenter', async (step) => {
      await fill((text) => step.update(text));
      return { result: undefined, detail: `${machines} hosts, ${tenants.length} tenants` };
    });
  } else {
    void fill((text) => progress.say('datacenter', `datacenter: ${text} of ${machines}`)).catch((thrown: unknown) => {
      if (!lifecycle.signal.aborted) log.error('filling the datacenter of the scenario failed', { error: messageOf(thrown) });
    });
  }
  return await Promise.all(
    tenants.map(async ({ name }) => ({ name, tokenFile: await access.issueFile({ name, role: 'tenant', groups: [name] }) })),
  );
}
