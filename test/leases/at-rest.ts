import { bidDecisionType } from '@quartermaster/api/bid-decision';
import { reservationType } from '@quartermaster/api/reservation';
import { jsonEqual } from '@quartermaster/controller';
import { expect } from 'vitest';
import { patience } from '../inventory/operator-cluster.ts';
import { type Deployed, isOf, type RunningLeases } from './running-leases.ts';
import { writtenOf } from './written-objects.ts';

/** What the provider has written of these leases. */
export const writtenFor = async (site: RunningLeases, deployed: readonly Deployed[]): Promise<readonly string[]> =>
  writtenOf((await site.everything()).filter((object) => deployed.some((each) => isOf(object, each))));

/** Waits until nothing is left to be written of leases that run, and gives what was. */
export async function untilAtRest(site: RunningLeases, deployed: readonly Deployed[]): Promise<readonly string[]> {
  const { client } = site.cluster;
  // The last that is written of a lease that runs.
  const standsWhole = async ({ name }: Deployed) => {
    const [decision, { status }] = [await client.get(bidDecisionType, { name }), await client.get(reservationType, { name })];
    return [decision.status?.phase, status?.phase, status?.leaseNamespace !== undefined];
  };
  for (const each of deployed) await expect.poll(() => standsWhole(each), patience).toEqual(['Won', 'Active', true]);
  let written: readonly string[] = [];
  const rests = async () => {
    const previous = written;
    written = await writtenFor(site, deployed);
    return jsonEqual(previous, written);
  };
  await expect.poll(rests, patience).toBe(true);
  return written;
}
