export * from '../generated/quartermaster/removals/v1/removals_pb.ts';
