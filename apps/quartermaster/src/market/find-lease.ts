import { marketState } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import type { ApiConnection, ObjectApi } from '../fulfillment/objects/api-connection.ts';
import type { AnyObject } from '../fulfillment/objects/object-client.ts';
import { belowFilter } from '../fulfillment/objects/object-filter.ts';
import { objectJson } from '../fulfillment/objects/object-json.ts';
import { findObjectIfAny, missingObjects, readObjects } from '../fulfillment/objects/read-objects.ts';

export interface FoundLease {
  readonly api: ObjectApi;
  readonly found: AnyObject;
}

/** The lease of this ID or order, or the only active one of the deployment that is called so. */
export async function findLease(connection: ApiConnection, name: string): Promise<FoundLease> {
  const api = await connection.objects('leases');
  const found = (await findObjectIfAny(api, name)) ?? (await onlyLeaseOf(connection, api, name));
  if (found === undefined) throw missingObjects(api.kind, [name]);
  return { api, found };
}

/** The active leases of a deployment. */
export async function activeLeases(api: ObjectApi, deployment: string): Promise<readonly AnyObject[]> {
  const { items } = await readObjects(api, { filter: belowFilter(deployment) });
  return items.filter((lease) => marketState(objectJson(api.schema, lease)).word === 'Active');
}

/** Undefined where there is no such deployment. */
async function onlyLeaseOf(connection: ApiConnection, api: ObjectApi, name: string): Promise<AnyObject | undefined> {
  const deployment = await findObjectIfAny(await connection.objects('deployments'), name);
  if (deployment === undefined) return undefined;
  const active = await activeLeases(api, deployment.id);
  if (active.length === 1) return active[0];
  const way = active.length === 0 ? 'no active lease' : `several active leases: name one of ${active.map(({ id }) => id).join(', ')}`;
  throw new StatusError('failed_precondition', `deployment ${deployment.id} has ${way}`);
}
