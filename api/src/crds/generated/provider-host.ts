// Made from api/crds/provider-host.yaml by `npm run generate`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

/** Which service of which lease answers on a hostname. The object has the name of the hostname; of a wildcard, one that is made of it. */
export interface ProviderHost {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?: ProviderHostSpec | undefined;
}

export interface ProviderHostSpec {
  readonly hostname?: string | undefined;
  readonly owner?: string | undefined;
  readonly provider?: string | undefined;
  readonly dseq?: number | undefined;
  readonly gseq?: number | undefined;
  readonly oseq?: number | undefined;
  readonly service_name?: string | undefined;
  readonly external_port?: number | undefined;
}

export const providerHostType: ResourceType<ProviderHost> = {
  group: 'akash.network',
  version: 'v2beta2',
  kind: 'ProviderHost',
  plural: 'providerhosts',
  namespaced: true,
};
