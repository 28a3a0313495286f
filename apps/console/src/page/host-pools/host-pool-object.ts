import type { ApiCondition, ApiObject } from '../api/api-object.ts';

/** A host pool by the names of the contract. What the public API does not have is optional. */
export interface HostPoolObject extends ApiObject {
  readonly spec?: { readonly host_sets: Readonly<Record<string, HostPoolSet>> } | undefined;
  readonly status?: {
    readonly state: string;
    readonly hosts: readonly string[];
    readonly conditions: readonly ApiCondition[];
    readonly host_sets: Readonly<Record<string, HostPoolSet>>;
    readonly hub?: string | undefined;
  };
}

export interface HostPoolSet {
  readonly host_class: string;
  readonly size: number;
}

/** How many hosts all sets of a pool shall have. */
export const wantedHosts = ({ spec }: HostPoolObject): number =>
  Object.values(spec?.host_sets ?? {}).reduce((sum, { size }) => sum + size, 0);
