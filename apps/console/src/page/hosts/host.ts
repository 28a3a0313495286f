import type { ApiCondition, ApiObject } from '../api/api-object.ts';
import { hostKind, objectHref } from '../api/object-kind.ts';

/** A host as either API shows it: what only the private one has is absent in the public one. */
export interface Host extends ApiObject {
  readonly spec?: HostSpec | undefined;
  readonly status?: HostStatus | undefined;
}

export interface HostSpec {
  readonly power_state?: string | undefined;
  readonly class?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly bmc?: {
    readonly url: string;
    readonly user: string;
    readonly insecure: boolean;
    readonly password?: string | undefined;
    readonly password_ref?: object | undefined;
  };
  readonly rack?: string | undefined;
  readonly rack_unit?: number | undefined;
  readonly rack_height?: number | undefined;
  readonly boot_mac?: string | undefined;
  readonly boot_ip?: string | undefined;
  readonly bcm_link?: string | undefined;
  readonly link?: string | undefined;
  readonly serial?: string | undefined;
  readonly system_uuid?: string | undefined;
  readonly nics?: readonly { readonly mac: string; readonly name: string; readonly speed_mbps: string }[];
}

export interface HostStatus {
  readonly state?: string | undefined;
  readonly power_state?: string | undefined;
  readonly conditions?: readonly ApiCondition[] | undefined;
  readonly cluster?: string | undefined;
  readonly host_pool?: string | undefined;
  readonly hub?: string | undefined;
  readonly source?: { readonly name: string; readonly id: string; readonly last_seen?: string } | undefined;
}

export const hostHref = (id: string): string => objectHref(hostKind, id);
export const rackHref = (rack: string): string => `/racks?rack=${encodeURIComponent(rack)}`;
