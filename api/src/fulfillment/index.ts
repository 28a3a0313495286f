export * from '../generated/events/v1/event_type_pb.ts';
export * from '../generated/events/v1/events_service_pb.ts';
export * from '../generated/fulfillment/v1/cluster_template_type_pb.ts';
export * from '../generated/fulfillment/v1/cluster_templates_service_pb.ts';
export * from '../generated/fulfillment/v1/cluster_type_pb.ts';
export * from '../generated/fulfillment/v1/clusters_service_pb.ts';
export * from '../generated/fulfillment/v1/host_class_type_pb.ts';
export * from '../generated/fulfillment/v1/host_classes_service_pb.ts';
export * from '../generated/fulfillment/v1/host_pool_type_pb.ts';
export * from '../generated/fulfillment/v1/host_pools_service_pb.ts';
export * from '../generated/fulfillment/v1/host_type_pb.ts';
export * from '../generated/fulfillment/v1/hosts_service_pb.ts';
export { type HttpBody, HttpBodySchema } from '../generated/google/api/httpbody_pb.ts';
export * from '../generated/metadata/v1/authn_type_pb.ts';
// Called MetadataService here: every object has a Metadata too.
export {
  Metadata as MetadataService,
  type MetadataGetRequest,
  type MetadataGetRequestJson,
  MetadataGetRequestSchema,
  type MetadataGetResponse,
  type MetadataGetResponseJson,
  MetadataGetResponseSchema,
} from '../generated/metadata/v1/metadata_service_pb.ts';
export * from '../generated/shared/v1/condition_status_type_pb.ts';
export * from '../generated/shared/v1/metadata_type_pb.ts';
