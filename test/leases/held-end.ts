import { hostnameClaimType } from '@quartermaster/api/hostname-claim';
import { manifestType } from '@quartermaster/api/manifest';
import { reservationType } from '@quartermaster/api/reservation';
import { kinds } from '@quartermaster/kube';
import { expect } from 'vitest';
import { collectLeftovers } from './collect-leftovers.ts';
import { pass, patience } from './outage-sight.ts';
import { type Deployed, manifestNamespace, namesOf, type RunningLeases } from './running-leases.ts';

/** Ends a lease in whose namespace a finalizer of somebody holds something: nothing is given back until that is gone, and people are told. */
export async function expectHeldEnd(site: RunningLeases, held: Deployed, pace: number): Promise<void> {
  const { namespace, name, order } = held;
  const { client } = site.cluster;
  const config = { namespace, name: 'held' };
  await client.create(kinds.configMaps, { metadata: { ...config, finalizers: ['test.example/held'] } });
  await site.close(held);
  const subject = `Namespace ${namespace}`;
  const message = expect.stringContaining('it has been terminating since');
  const told = async () => (await site.statusOf(held))?.leftovers;
  // What is on its way for a minute of the provider's time is told.
  const slow = { ...patience, timeout: patience.timeout + 60_000 / pace };
  await expect.poll(told, slow).toEqual([expect.objectContaining({ what: subject, message })]);
  const stands = async () => ({
    status: await site.statusOf(held),
    listed: (await site.leases().listLeases({ pageSize: 1000 })).leases.find((lease) => lease.namespace === namespace),
    got: (await site.leases().getLease({ order })).lease,
    phase: (await client.find(reservationType, { name }))?.status?.phase,
    claims: (await client.list(hostnameClaimType)).items.filter(({ spec }) => spec.lease === name).map(({ spec }) => spec.state),
    manifest: await client.find(manifestType, { namespace: manifestNamespace, name: namespace }),
  });
  const leftovers = [expect.objectContaining({ subject, message })];
  const expected = {
    status: { reason: 'Closing', leftovers: [{ what: subject }] },
    ...{ listed: { leftovers }, got: { leftovers }, phase: 'Active', claims: ['Held'], manifest: expect.anything() },
  };
  // What the service shows may be behind what it has written.
  await expect.poll(stands, patience).toMatchObject(expected);
  // gc is no way around it, and it is tried again meanwhile.
  const collected = await collectLeftovers(site, { dryRun: false });
  expect(collected.filter(({ lease, fate }) => lease === name || fate !== 'kept')).toEqual([]);
  await pass(10_000 / pace);
  // What was given back would not come again; whether it is seen may blink.
  await expect.poll(stands, patience).toMatchObject(expected);
  await client.patch(kinds.configMaps, config, { kind: 'merge', body: { metadata: { finalizers: null } } });
  await site.untilComplete(held);
  expect((await site.statusOf(held))?.leftovers ?? []).toEqual([]);
  await expect.poll(() => client.find(reservationType, { name }), patience).toBeUndefined();
  expect(namesOf(await site.objectsOf(held))).toEqual([`BidDecision ${name}`, `TenantLease ${name}`]);
}
