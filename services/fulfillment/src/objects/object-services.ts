/** Every service that serves objects, private and public. */
import * as pub from '@quartermaster/api/fulfillment';
import * as priv from '@quartermaster/api/private';
import type { Clock } from '@quartermaster/kernel';
import {
  type Kind,
  ObjectReader,
  ObjectWriter,
  privateHandlers,
  publicHandlers,
  type RevealLog,
  type WriterOptions,
} from '@quartermaster/objects';
import { type ServedService, serve } from '@quartermaster/rpc';
import type { Database, StoredObject } from '@quartermaster/store';
import { markLocks } from '../identity/mark-locks.ts';
import type { Kinds } from '../kinds/kinds.ts';
import { announceHosts } from './announce-hosts.ts';
import { clusterSecretHandlers } from './cluster-secrets.ts';
import { judgeHosts } from './judge-hosts.ts';

export interface ObjectServicesOptions {
  readonly database: Database;
  readonly kinds: Kinds;
  readonly clock: Clock;
  /** UUIDv7. */
  readonly newId: () => string;
  /** Something was written: readers of the feed may look. */
  readonly onWritten: () => void;
  readonly reveals: RevealLog;
  /** Where clients of the public API log in. */
  readonly issuers: readonly string[];
}

export function objectServices(options: ObjectServicesOptions): readonly ServedService[] {
  const { database, kinds } = options;
  const hosts = serversOf(options, kinds.hosts, { alsoWrite: judgeHosts(options), alsoLock: (host) => markLocks(host) });
  const classes = serversOf(options, kinds.host_classes);
  const templates = serversOf(options, kinds.cluster_templates);
  const clusters = serversOf(options, kinds.clusters, { alsoWrite: announceHosts });
  const hubs = serversOf(options, kinds.hubs);
  const pools = serversOf(options, kinds.host_pools);
  return [
    serve(priv.Hosts, privateHandlers(...hosts)),
    serve(priv.HostClasses, privateHandlers(...classes)),
    serve(priv.ClusterTemplates, privateHandlers(...templates)),
    serve(priv.Clusters, privateHandlers(...clusters)),
    serve(priv.Hubs, privateHandlers(...hubs)),
    serve(priv.HostPools, privateHandlers(...pools)),
    serve(pub.Hosts, publicHandlers(...hosts, kinds.hosts.projection)),
    serve(pub.HostClasses, publicHandlers(...classes, kinds.host_classes.projection)),
    serve(pub.ClusterTemplates, publicHandlers(...templates, kinds.cluster_templates.projection)),
    serve(pub.Clusters, {
      ...publicHandlers(...clusters, kinds.clusters.projection),
      ...clusterSecretHandlers(database, kinds.clusters.store, clusters[0]),
    }),
    serve(pub.HostPools, publicHandlers(...pools, kinds.host_pools.projection)),
    serve(pub.MetadataService, { get: () => ({ authn: { trustedTokenIssuers: [...options.issuers] } }) }),
  ];
}

function serversOf<M extends StoredObject>(
  options: ObjectServicesOptions,
  kind: Kind<M>,
  more: Pick<WriterOptions<M>, 'alsoWrite' | 'alsoLock'> = {},
): readonly [ObjectReader<M>, ObjectWriter<M>] {
  return [new ObjectReader(kind, options), new ObjectWriter(kind, { ...options, ...more })];
}
