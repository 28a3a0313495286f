import type { ApiCondition, ApiObject } from '../api/api-object.ts';

/** A host pool by the names of the contract. What the public API does not have is optional. */
export interface HostPoolObject extends ApiObject {
  readonly spec?: { readonly host_sets: Readonly<Record<string, HostPoolSet>> };
  readonly status?: {
    readonly state: string;
    readonly hosts: readonly string[];
    readonly conditions: readonly ApiCondition[];
    readonly host_sets: Readonly<Record<string, HostPoolSet>>;
    readonly hub?: string;
  };
}

export interface HostPoolSet {
  readonly host_class: string;
  readonly size: number;
}
