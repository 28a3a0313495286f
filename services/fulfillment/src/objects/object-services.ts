/** Every service that serves objects, private and public. */
import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import type { Clock } from '@quartermaster/kernel';
import { type ServedService, serve } from '@quartermaster/rpc';
import type { Database } from '@quartermaster/store';
import type { AnyObject, Kind } from '../kinds/kind.ts';
import type { Kinds } from '../kinds/kinds.ts';
import {
  clusterProjection,
  clusterTemplateProjection,
  hostClassProjection,
  hostPoolProjection,
  hostProjection,
} from '../projection/index.ts';
import { announceHosts } from './announce-hosts.ts';
import { clusterSecretHandlers } from './cluster-secrets.ts';
import { forgetSources } from './forget-sources.ts';
import { privateHandlers } from './handlers.ts';
import { type AlsoWrite, ObjectWriter, type WriterOptions } from './object-writer.ts';
import { publicHandlers } from './public-handlers.ts';
import { ObjectReader } from './read-objects.ts';

export interface ObjectServicesOptions {
  readonly database: Database;
  readonly kinds: Kinds;
  readonly clock: Clock;
  /** UUIDv7. */
  readonly newId: () => string;
  /** Something was written: readers of the feed may look. */
  readonly onWritten: () => void;
  /** Where clients of the public API log in. */
  readonly issuers: readonly string[];
}

export function objectServices(options: ObjectServicesOptions): readonly ServedService[] {
  const { database, kinds } = options;
  const hosts = serversOf(options, kinds.hosts, forgetSources(options));
  const classes = serversOf(options, kinds.host_classes);
  const templates = serversOf(options, kinds.cluster_templates);
  const clusters = serversOf(options, kinds.clusters, announceHosts(kinds.hosts.store));
  const hubs = serversOf(options, kinds.hubs);
  const pools = serversOf(options, kinds.host_pools);
  return [
    serve(priv.Hosts, privateHandlers(...hosts)),
    serve(priv.HostClasses, privateHandlers(...classes)),
    serve(priv.ClusterTemplates, privateHandlers(...templates)),
    serve(priv.Clusters, privateHandlers(...clusters)),
    serve(priv.Hubs, privateHandlers(...hubs)),
    serve(priv.HostPools, privateHandlers(...pools)),
    serve(pub.Hosts, publicHandlers(...hosts, hostProjection)),
    serve(pub.HostClasses, publicHandlers(...classes, hostClassProjection)),
    serve(pub.ClusterTemplates, publicHandlers(...templates, clusterTemplateProjection)),
    serve(pub.Clusters, {
      ...publicHandlers(...clusters, clusterProjection),
      ...clusterSecretHandlers(database, kinds.clusters.store, clusters[0]),
    }),
    serve(pub.HostPools, publicHandlers(...pools, hostPoolProjection)),
    serve(pub.MetadataService, { get: () => ({ authn: { trustedTokenIssuers: [...options.issuers] } }) }),
  ];
}

function serversOf<M extends AnyObject>(
  { database, kinds, clock, newId, onWritten }: ObjectServicesOptions,
  kind: Kind<M>,
  alsoWrite?: AlsoWrite,
): readonly [ObjectReader<M>, ObjectWriter<M>] {
  const clusters = kinds.clusters.store;
  const writer: WriterOptions = {
    database,
    clusters,
    stores: {
      hosts: kinds.hosts.store,
      host_classes: kinds.host_classes.store,
      cluster_templates: kinds.cluster_templates.store,
      clusters,
      hubs: kinds.hubs.store,
      host_pools: kinds.host_pools.store,
    },
    clock,
    newId,
    onWritten,
    ...(alsoWrite === undefined ? {} : { alsoWrite }),
  };
  return [new ObjectReader(kind, { database, clusters, clock }), new ObjectWriter(kind, writer)];
}
