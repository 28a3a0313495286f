import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import type { KubeObject, ResourceType } from '@quartermaster/kube';
import type { LeaseId } from '../model/lease.ts';
import type { ClusterNetworks } from '../networks/cluster-networks.ts';
import type { Plan } from '../placement/plan.ts';

/** An object that a lease must have, as it is applied: metadata with name, namespace, labels and annotations; no status. */
export interface DesiredObject<T extends KubeObject = KubeObject> {
  readonly type: ResourceType<T>;
  readonly object: T;
}

/** All that the objects of a lease are made of. The same input makes the same objects: a restart writes nothing. */
export interface LeaseContent {
  readonly lease: LeaseId;
  /** Of the lease's namespace. */
  readonly namespace: string;
  /** With the values of sensitive variables and credentials. */
  readonly group: ManifestGroup;
  /** Of the reservation, whose units are the resources of the manifest by id. */
  readonly plan: Plan;
  /** Random, kept with the manifest's secrets: hashes of secrets that others may read are made with it, so that nobody can guess a password by its hash. */
  readonly salt: string;
  readonly settings: ObjectSettings;
  readonly networks: ClusterNetworks;
  /** Endpoints of the API server, for services that may read. */
  readonly apiServers: readonly ApiServerEndpoint[];
  readonly addresses: ContentAddresses;
}

/** Of leased addresses, what differs from what the pool gives of its own accord. */
export interface ContentAddresses {
  /** endpoint -> the address that was moved to it */
  readonly taken: ReadonlyMap<string, string>;
  /** Endpoints whose address was moved away: nothing is made of them. */
  readonly given: ReadonlySet<string>;
}

export interface ObjectSettings {
  /** deployment-network-policies-enabled */
  readonly hasNetworkPolicies: boolean;
  /** cluster-public-hostname; empty: none */
  readonly publicHostname: string;
  /** docker-image-pull-secrets-name; empty: none */
  readonly pullSecret: string;
  /** deployment-runtime-class, of services with NVIDIA GPUs; empty: none */
  readonly gpuRuntimeClass: string;
  /** sensitive-env: patterns with `*`, compared without regard to case */
  readonly sensitiveEnv: readonly string[];
  /** Values of `app.kubernetes.io/name` of namespaces and pods from which routes come: ingress-nginx, traefik. */
  readonly ingressControllers: readonly string[];
  /** Namespaces from which routes come by their name: those of gateways. */
  readonly ingressNamespaces: readonly string[];
  /** metal-lb-pool; empty: the default one */
  readonly addressPool: string;
}

export interface ApiServerEndpoint {
  readonly address: string;
  readonly port: number;
}
