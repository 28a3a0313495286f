export * from '../generated/podresources/v1/podresources_pb.ts';
