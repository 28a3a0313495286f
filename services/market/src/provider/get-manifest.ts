import type { OrderId } from '@quartermaster/api/cluster';
import { type Deployment, LeaseState } from '@quartermaster/api/market';
import { StatusError } from '@quartermaster/kernel';
import { type Call, notFound, type RevealLog } from '@quartermaster/objects';
import type { Database, GatheredReads } from '@quartermaster/store';
import type { Kinds } from '../kinds/kinds.ts';
import { bidIdOf, deploymentIdOf } from '../rules/index.ts';
import type { ManifestReadings } from '../sdl/manifest-readings.ts';

export interface ManifestOptions {
  readonly database: Database;
  readonly kinds: Kinds;
  readonly readings: Pick<ManifestReadings, 'read'>;
  readonly reveals: Pick<RevealLog, 'record'>;
  readonly deployments: Pick<GatheredReads<Deployment>, 'getRevealed'>;
}

export interface LeaseManifest {
  /** JSON with sorted keys. */
  readonly manifest: string;
  readonly manifestHash: string;
  readonly confirmed: string[];
}

/**
 * What a lease of the provider is to run, made of the SDL that is stored now. That it was shown is written down before it is. Throws `not_found` for a lease that is not
 * active, in the words for one that there is not.
 */
export async function getManifest(
  { database, kinds, readings, reveals, deployments }: ManifestOptions,
  call: Call,
  provider: string,
  order: OrderId,
  signal: AbortSignal,
): Promise<LeaseManifest> {
  const { leases } = kinds;
  const leaseId = bidIdOf(order, provider);
  const lease = await leases.store.get(database, leaseId);
  if (lease?.spec?.order?.owner !== order.owner || lease.status?.state !== LeaseState.ACTIVE) throw notFound(leases, leaseId);
  const id = deploymentIdOf(order);
  const deployment = await deployments.getRevealed(id);
  if (deployment === undefined) throw notFound(leases, leaseId);
  const { metadata, spec, status } = deployment;
  const createdAt = metadata?.creationTimestamp ?? { seconds: 0n, nanos: 0 };
  await reveals.record(call.origin, { kind: kinds.deployments.name, id, name: metadata?.name ?? '', createdAt });
  const answer = await readings.read({ deployment: id, owner: order.owner, text: spec?.sdl ?? '' }, signal);
  // Another release may read an SDL in another way. What the tenant has seen the hash of counts.
  if ('faults' in answer || answer.manifestHash !== status?.manifestHash) {
    const what = 'faults' in answer ? 'has faults by the rules of this release' : 'makes another manifest with this release';
    throw new StatusError('failed_precondition', `the SDL of deployment "${id}" ${what}: its tenant must update it`);
  }
  return { manifest: answer.manifest, manifestHash: answer.manifestHash, confirmed: [...status.confirmed] };
}
