import type { ApiCondition, ApiObject } from '../api/api-object.ts';
import { objectHref } from '../model/addresses.ts';

/** A host as either API shows it: what only the private one has is absent in the public one. */
export interface Host extends ApiObject {
  readonly spec?: HostSpec;
  readonly status?: HostStatus;
}

export interface HostSpec {
  readonly power_state?: string;
  readonly class?: string;
  readonly title?: string;
  readonly description?: string;
  readonly bmc?: {
    readonly url: string;
    readonly user: string;
    readonly insecure: boolean;
    readonly password?: string;
    readonly password_ref?: object;
  };
  readonly rack?: string;
  readonly rack_unit?: number;
  readonly rack_height?: number;
  readonly boot_mac?: string;
  readonly boot_ip?: string;
  readonly bcm_link?: string;
  readonly link?: string;
  readonly serial?: string;
  readonly system_uuid?: string;
  readonly nics?: readonly { readonly mac: string; readonly name: string; readonly speed_mbps: string }[];
}

export interface HostStatus {
  readonly state?: string;
  readonly power_state?: string;
  readonly conditions?: readonly ApiCondition[];
  readonly cluster?: string;
  readonly host_pool?: string;
  readonly hub?: string;
  readonly source?: { readonly name: string; readonly id: string; readonly last_seen?: string };
}

export const hostHref = (id: string): string => objectHref('hosts', id);
/** The hosts that a filter of the API names. */
export const hostsHref = (filter: string): string => `/hosts?q=${encodeURIComponent(filter)}`;
export const rackHref = (rack: string): string => `/racks?rack=${encodeURIComponent(rack)}`;

/** A text as the filter language has it. */
export const celText = (text: string): string => JSON.stringify(text);
