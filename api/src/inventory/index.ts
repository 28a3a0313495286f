export * from '../generated/quartermaster/inventory/v1/amount_pb.ts';
export * from '../generated/quartermaster/inventory/v1/gpu_pb.ts';
export * from '../generated/quartermaster/inventory/v1/hardware_pb.ts';
export * from '../generated/quartermaster/inventory/v1/inventory_pb.ts';
export * from '../generated/quartermaster/inventory/v1/node_pb.ts';
export * from '../generated/quartermaster/inventory/v1/reason_pb.ts';
export * from '../generated/quartermaster/inventory/v1/snapshot_pb.ts';
export * from '../generated/quartermaster/inventory/v1/storage_pb.ts';
