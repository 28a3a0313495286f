export * from '../generated/quartermaster/ip/v1/ip_pool_pb.ts';
