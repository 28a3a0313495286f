import type { Bus, Generation, PublishOptions, StateTopic } from '@quartermaster/bus';
import type { KubeClient } from '@quartermaster/kube';
import { SharedKey } from '@quartermaster/service';

/** A client for the cluster that the roles of this process work on. Whoever provided it closes it. */
export const sharedKubernetes = new SharedKey<KubeClient>('Kubernetes client');

/** What a role needs of a bus on which it publishes states. */
export interface StatePublisher {
  publish<T>(topic: StateTopic<T>, value: T, options?: PublishOptions): Promise<Generation>;
}

export interface RoleBus {
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>;
  /** Other replicas of the role publish on it, too: then only the leader may. */
  readonly isShared: boolean;
}

/** The bus of this process. Whoever provided it closes it. */
export const sharedBus = new SharedKey<RoleBus>('bus');

/** Directory of the one embedded PostgreSQL of this process, in which each role has a database. Without it, each role has a server in its own data directory. */
export const sharedPostgresDirectory = new SharedKey<string>('directory of the embedded PostgreSQL');

/** Where a role serves. */
export interface ServedAddresses {
  /** `127.0.0.1:8081` */
  readonly grpc: string;
  /** `http://127.0.0.1:8080` */
  readonly rest: string;
  /** gRPC for callers with client certificates, where there is a port for them. */
  readonly certificates?: string | undefined;
  /** gRPC in plain text for whoever reaches it, where a protocol leaves no other way. */
  readonly withoutIdentity?: string | undefined;
}

/** Where the roles of this process serve, by name. A role that stops, or is started again, is absent meanwhile: anybody may have its ports. */
export class ServedRoles {
  readonly #addresses = new Map<string, ServedAddresses>(); // role -> where it serves
  readonly #listeners = new Set<() => void>();

  put(role: string, addresses: ServedAddresses): void {
    this.#addresses.set(role, addresses);
    this.#tell();
  }

  /** Of addresses that a later `put` has replaced, nothing is left to remove. */
  remove(role: string, addresses: ServedAddresses): void {
    if (this.#addresses.get(role) !== addresses) return;
    this.#addresses.delete(role);
    this.#tell();
  }

  /** Calls back at each change. Returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  of(role: string): ServedAddresses | undefined {
    return this.#addresses.get(role);
  }

  all(): ReadonlyMap<string, ServedAddresses> {
    return this.#addresses;
  }
}

export const sharedServed = new SharedKey<ServedRoles>('addresses of roles');
