/*
 * A manifest, as the ecosystem's tools make it of an SDL: what a tenant has run. Each group of it goes to one provider. This is how it is exchanged and compared; what
 * becomes of it in a cluster, the cluster service knows.
 */

/** The services that a lease runs. */
export interface ManifestGroup {
  readonly name: string;
  /** By name. */
  readonly services: readonly ManifestService[];
}

export interface ManifestService {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  /** In the order of the manifest; of one name the last counts. */
  readonly env: readonly EnvVariable[];
  /** Of one replica. */
  readonly resources: ManifestResources;
  readonly count: number;
  readonly exposes: readonly Expose[];
  readonly mounts: readonly VolumeMount[];
  readonly permissions: readonly Permission[];
  readonly credentials?: RegistryCredentials | undefined;
}

export interface EnvVariable {
  readonly name: string;
  readonly value: string;
}

/** Services of one id take replicas of the same unit of the order. */
export interface ManifestResources {
  readonly id: number;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  /** `vendor/nvidia/model/a100/ram/80Gi`: any of them will do. */
  readonly gpuAttributes: readonly string[];
  readonly volumes: readonly ManifestVolume[];
}

export interface ManifestVolume {
  readonly name: string;
  readonly bytes: number;
  readonly kind: 'ephemeral' | 'ram' | 'persistent';
  /** Of a persistent one: `default`, `beta1` … */
  readonly class: string;
}

export interface Expose {
  /** Of the container. */
  readonly port: number;
  /** 0: the same. */
  readonly externalPort: number;
  readonly protocol: 'TCP' | 'UDP';
  /** The service that may reach it; empty: all of the group. */
  readonly service: string;
  readonly global: boolean;
  readonly hosts: readonly string[];
  /** The endpoint with a leased address; empty: none. */
  readonly ip: string;
  readonly endpointNumber: number;
  readonly http: HttpOptions;
}

export interface HttpOptions {
  readonly maxBodySize: number;
  /** Milliseconds. */
  readonly readTimeout: number;
  readonly sendTimeout: number;
  readonly nextTries: number;
  readonly nextTimeout: number;
  readonly nextCases: readonly string[];
  /** Bytes; undefined: as the provider has it. */
  readonly proxyBufferSize?: number | undefined;
}

export interface VolumeMount {
  readonly volume: string;
  /** Empty: it is not mounted. */
  readonly path: string;
  readonly readOnly: boolean;
}

/** What a service may read of its own lease. */
export type Permission = 'logs' | 'events' | 'deployment';

export interface RegistryCredentials {
  readonly host: string;
  readonly email: string;
  readonly username: string;
  readonly password: string;
}

export const externalPortOf = ({ port, externalPort }: Pick<Expose, 'port' | 'externalPort'>): number =>
  externalPort === 0 ? port : externalPort;

/** The one external port that hostnames lead to. */
export const ingressPort = 80;

/** Shares a port with others, by its hostnames: such an expose has a route instead of a port. */
export const isIngress = (expose: Pick<Expose, 'port' | 'externalPort' | 'protocol' | 'global' | 'ip'>): boolean =>
  expose.global && expose.ip === '' && expose.protocol === 'TCP' && externalPortOf(expose) === ingressPort;
