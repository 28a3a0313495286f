import type { Role } from '@quartermaster/service';
import type { HttpPort } from './http-settings.ts';
import type { ServerPorts } from './server-settings.ts';

/** A role without its settings and its body. */
export interface RoleNeeds extends Pick<Role, 'name' | 'summary' | 'deployment'> {
  /** Begins the names of its settings and metrics: `inventory`. */
  readonly prefix: string;
  /** It works on a cluster. */
  readonly kubernetes?: true | undefined;
  /** It publishes or listens. */
  readonly bus?: true | undefined;
  /** It keeps data in PostgreSQL. */
  readonly database?: true | undefined;
  /** It serves gRPC and REST, or HTTP of its own: `{ http: 8443 }`. */
  readonly servers?: ServerPorts | HttpPort | undefined;
  /** Settings of its own that are ports which it listens on, besides those of `servers`. */
  readonly otherPorts?: readonly string[] | undefined;
  /** One replica leads: the name of the Lease, in the namespace of the role's settings; or its place, where one is to lead whatever the settings are. */
  readonly lease?: string | { readonly namespace: string; readonly name: string } | undefined;
  /** How `quartermaster up` runs it: without a cluster, on the cluster once that answers, after all others, or not at all. */
  readonly up?: 'alone' | 'on-cluster' | 'last' | undefined;
}
