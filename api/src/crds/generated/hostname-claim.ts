// Made from api/crds/hostname-claim.yaml by `npm run generate`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

/**
 * Who has a hostname. The object is named by a hash of the name in A-labels, so that there is one for each name. A record of a parent domain decides between a
 * wildcard below it and names of one label.
 */
export interface HostnameClaim {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: HostnameClaimSpec;
}

export interface HostnameClaimSpec {
  /** In A-labels and lower case: `www.example.com`, `*.example.com`. Of a record of a parent, the parent. */
  readonly hostname: string;
  /**
   * Claiming: made, and not yet compared with what its parent domain has: nobody may rely on it. Held: the lease has it. Released: nobody has it, and for a
   * while nobody but its last owner may. Parent: the record of a domain below which there are names.
   */
  readonly state: 'Claiming' | 'Held' | 'Released' | 'Parent';
  /** The account that has it, or had it last. Of a parent: the account whose wildcard is below it; empty without one. */
  readonly owner?: string | undefined;
  /** The lease that has it, by the name of its order. */
  readonly lease?: string | undefined;
  readonly service?: string | undefined;
  readonly externalPort?: number | undefined;
  /** The provider gave it, below its own domain. */
  readonly isStatic?: boolean | undefined;
  /** When it came into its state. */
  readonly since: string;
  /** Of one that its last owner claims again: when it was given back, which it is again when nothing comes of it. */
  readonly releasedAt?: string | undefined;
  /** Of a parent: how often something was claimed below it. Each claim writes it, so that two cannot pass each other. */
  readonly changes?: number | undefined;
}

export const hostnameClaimType: ResourceType<HostnameClaim> = {
  group: 'quartermaster.dev',
  version: 'v1alpha1',
  kind: 'HostnameClaim',
  plural: 'hostnameclaims',
  namespaced: false,
};
