import type { DescMessage, DescService } from '@bufbuild/protobuf';
import * as fulfillment from '@quartermaster/api/fulfillment';
import * as internal from '@quartermaster/api/private';
import type { KindPlural } from './kind-names.ts';

/** A kind as one of the two APIs has it. */
export interface KindForm {
  readonly schema: DescMessage;
  readonly service: DescService;
}

export interface KindForms {
  readonly private: KindForm;
  /** Absent where tenants have no such thing. */
  readonly public?: KindForm;
}

export const kindForms: Readonly<Record<KindPlural, KindForms>> = {
  hosts: {
    private: { schema: internal.HostSchema, service: internal.Hosts },
    public: { schema: fulfillment.HostSchema, service: fulfillment.Hosts },
  },
  'host-classes': {
    private: { schema: internal.HostClassSchema, service: internal.HostClasses },
    public: { schema: fulfillment.HostClassSchema, service: fulfillment.HostClasses },
  },
  'cluster-templates': {
    private: { schema: internal.ClusterTemplateSchema, service: internal.ClusterTemplates },
    public: { schema: fulfillment.ClusterTemplateSchema, service: fulfillment.ClusterTemplates },
  },
  clusters: {
    private: { schema: internal.ClusterSchema, service: internal.Clusters },
    public: { schema: fulfillment.ClusterSchema, service: fulfillment.Clusters },
  },
  hubs: { private: { schema: internal.HubSchema, service: internal.Hubs } },
  'host-pools': {
    private: { schema: internal.HostPoolSchema, service: internal.HostPools },
    public: { schema: fulfillment.HostPoolSchema, service: fulfillment.HostPools },
  },
};
