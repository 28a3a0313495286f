import type { Session } from '../session/session.ts';

/** A kind of object of the API. */
export interface ObjectKind {
  /** In paths and in the audit log: `host_classes`. */
  readonly name: string;
  readonly singular: string;
  readonly plural: string;
  /** The service of both APIs: `HostClasses`. */
  readonly service: string;
  /** The field of an event that holds the object: `host_class`. */
  readonly payload: string;
}

export const hostKind: ObjectKind = { name: 'hosts', singular: 'host', plural: 'hosts', service: 'Hosts', payload: 'host' };
export const hostClassKind: ObjectKind = {
  name: 'host_classes',
  singular: 'host class',
  plural: 'host classes',
  service: 'HostClasses',
  payload: 'host_class',
};
export const clusterKind: ObjectKind = {
  name: 'clusters',
  singular: 'cluster',
  plural: 'clusters',
  service: 'Clusters',
  payload: 'cluster',
};
export const templateKind: ObjectKind = {
  name: 'cluster_templates',
  singular: 'template',
  plural: 'templates',
  service: 'ClusterTemplates',
  payload: 'cluster_template',
};
export const hubKind: ObjectKind = { name: 'hubs', singular: 'hub', plural: 'hubs', service: 'Hubs', payload: 'hub' };
export const hostPoolKind: ObjectKind = {
  name: 'host_pools',
  singular: 'host pool',
  plural: 'host pools',
  service: 'HostPools',
  payload: 'host_pool',
};

export const objectKinds: readonly ObjectKind[] = [hostKind, hostClassKind, clusterKind, templateKind, hubKind, hostPoolKind];

export type Verb = 'List' | 'Get' | 'Create' | 'Update' | 'Delete';

/** Where the objects of a kind are for this session. */
export const kindPath = ({ isStaff }: Session, { name }: ObjectKind): string => `/api/${isStaff ? 'private' : 'fulfillment'}/v1/${name}`;

export const objectPath = (session: Session, kind: ObjectKind, id: string): string =>
  `${kindPath(session, kind)}/${encodeURIComponent(id)}`;

/** Whether the session may do this to objects of the kind. */
export const may = (session: Session, verb: Verb, { service }: ObjectKind): boolean =>
  session.rights.has(`/${session.isStaff ? 'private' : 'fulfillment'}.v1.${service}/${verb}`);
