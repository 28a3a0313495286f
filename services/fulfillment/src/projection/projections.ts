import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import { projectionOf } from './projection.ts';

/** Kinds that the public API serves. Hubs are the provider's own. */
export const hostProjection = projectionOf(pub.HostSchema, priv.HostSchema);
export const hostClassProjection = projectionOf(pub.HostClassSchema, priv.HostClassSchema);
export const hostPoolProjection = projectionOf(pub.HostPoolSchema, priv.HostPoolSchema);
export const clusterTemplateProjection = projectionOf(pub.ClusterTemplateSchema, priv.ClusterTemplateSchema);
export const clusterProjection = projectionOf(pub.ClusterSchema, priv.ClusterSchema);
