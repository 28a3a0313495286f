import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import { conflictOf } from '../claims/source-conflict.ts';
import { type Projection, projectionOf } from './projection.ts';

/** Kinds that the public API serves. Hubs are the provider's own. */
export const hostProjection = withoutSources(projectionOf(pub.HostSchema, priv.HostSchema));
export const hostClassProjection = projectionOf(pub.HostClassSchema, priv.HostClassSchema);
export const hostPoolProjection = projectionOf(pub.HostPoolSchema, priv.HostPoolSchema);
export const clusterTemplateProjection = projectionOf(pub.ClusterTemplateSchema, priv.ClusterTemplateSchema);
export const clusterProjection = projectionOf(pub.ClusterSchema, priv.ClusterSchema);

/** The message of a conflict names sources and serial numbers, which are the provider's own. */
function withoutSources(
  projection: Projection<typeof pub.HostSchema, typeof priv.HostSchema>,
): Projection<typeof pub.HostSchema, typeof priv.HostSchema> {
  return {
    ...projection,
    unfilterable: ['status.conditions.message'],
    toPublic(host) {
      const result = projection.toPublic(host);
      const conflict = conflictOf(host);
      const index = conflict === undefined ? -1 : (host.status?.conditions.indexOf(conflict) ?? -1);
      delete result.status?.conditions[index]?.message;
      return result;
    },
  };
}
