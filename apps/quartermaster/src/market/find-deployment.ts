import { StatusError } from '@quartermaster/kernel';
import type { ApiConnection } from '../fulfillment/objects/api-connection.ts';
import { objectJson } from '../fulfillment/objects/object-json.ts';
import { findObjectIfAny } from '../fulfillment/objects/read-objects.ts';
import { textAt } from '../text/json-path.ts';

/** The deployment that is called so, or that the lease of this name runs a group of. */
export async function findDeployment(connection: ApiConnection, name: string): Promise<{ readonly id: string; readonly owner: string }> {
  const [leases, deployments] = await Promise.all([connection.objects('leases'), connection.objects('deployments')]);
  const lease = await findObjectIfAny(leases, name);
  if (lease !== undefined) {
    const json = objectJson(leases.schema, lease);
    return { id: textAt(json, 'spec.order.dseq'), owner: textAt(json, 'spec.order.owner') };
  }
  const deployment = await findObjectIfAny(deployments, name);
  if (deployment !== undefined) return { id: deployment.id, owner: textAt(objectJson(deployments.schema, deployment), 'status.owner') };
  throw new StatusError(
    'not_found',
    `there is no lease or deployment ${name}, or you may not see it: "quartermaster get leases" lists those that you see`,
  );
}
