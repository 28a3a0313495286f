export * from '../generated/quartermaster/cluster/v1/order_pb.ts';
export * from '../generated/quartermaster/cluster/v1/plan_pb.ts';
export * from '../generated/quartermaster/cluster/v1/refusal_pb.ts';
export * from '../generated/quartermaster/cluster/v1/request_pb.ts';
export * from '../generated/quartermaster/cluster/v1/reservation_pb.ts';
export * from '../generated/quartermaster/cluster/v1/reservation_service_pb.ts';
export * from '../generated/quartermaster/cluster/v1/resources_pb.ts';
export * from '../generated/quartermaster/cluster/v1/status_pb.ts';
