// Made from api/crds/provider-leased-ip.yaml by `npm run generate`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

/** Which port of which lease has a leased address. The object is named by the sharing key, the protocol and the external port. */
export interface ProviderLeasedIP {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?: ProviderLeasedIPSpec | undefined;
}

export interface ProviderLeasedIPSpec {
  readonly lease_id?: LeasedIPLeaseId | undefined;
  readonly service_name?: string | undefined;
  readonly port?: number | undefined;
  readonly external_port?: number | undefined;
  readonly protocol?: string | undefined;
  readonly sharing_key?: string | undefined;
}

export interface LeasedIPLeaseId {
  readonly owner?: string | undefined;
  /** A number of 64 bits. */
  readonly dseq?: string | undefined;
  readonly gseq?: number | undefined;
  readonly oseq?: number | undefined;
  readonly provider?: string | undefined;
}

export const providerLeasedIPType: ResourceType<ProviderLeasedIP> = {
  group: 'akash.network',
  version: 'v2beta2',
  kind: 'ProviderLeasedIP',
  plural: 'providerleasedips',
  namespaced: true,
};
