// Made from api/crds/tenant-shell.yaml by `npm run generate`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

/**
 * A shell that a tenant opened in a lease. The name is a UUIDv7, so that names sort by time. It has neither the command nor anything that was typed or shown. The oldest
 * ones of a lease are removed when it has too many, and all of them with its TenantLease.
 */
export interface TenantShell {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: TenantShellSpec;
  readonly status?: TenantShellStatus | undefined;
}

export interface TenantShellSpec {
  readonly lease: ShellLeaseId;
  /** What the caller showed. */
  readonly proof: 'certificate' | 'token';
  /** Of the key of the owner that proved it. */
  readonly fingerprint: string;
  /** Of the caller, without the port: what connected to the gateway, which may be a load balancer. */
  readonly address: string;
  readonly service: string;
  readonly pod: string;
  /** The replica of the cluster service that served it. */
  readonly replica: string;
  readonly openedAt: string;
}

export interface TenantShellStatus {
  /** Absent while it is open, and for good where the process that served it was killed. */
  readonly closedAt?: string | undefined;
  /** The exit code of the command, or why the shell ended before it. */
  readonly outcome?: string | undefined;
}

export interface ShellLeaseId {
  readonly owner: string;
  /** A number of 64 bits. */
  readonly dseq: string;
  readonly gseq: number;
  readonly oseq: number;
  readonly provider: string;
}

export const tenantShellType: ResourceType<TenantShell> = {
  group: 'quartermaster.dev',
  version: 'v1alpha1',
  kind: 'TenantShell',
  plural: 'tenantshells',
  namespaced: false,
};
