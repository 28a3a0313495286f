export * from '../generated/quartermaster/fulfillment/v1/audit_pb.ts';
export * from '../generated/quartermaster/fulfillment/v1/field_violation_pb.ts';
export * from '../generated/quartermaster/fulfillment/v1/host_assignments_pb.ts';
export * from '../generated/quartermaster/fulfillment/v1/host_sources_pb.ts';
export * from '../generated/quartermaster/fulfillment/v1/secret_keys_pb.ts';
export * from '../generated/quartermaster/fulfillment/v1/sessions_pb.ts';
