import { create, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { ServerReflection, ServerReflectionService } from 'nice-grpc-server-reflection';
import { filesOf } from './files-of.ts';

/** Describes the services to tools such as grpcurl and `buf curl`. Both versions of the protocol have the same messages. */
export function reflectionOf(services: readonly DescService[]) {
  const set = create(FileDescriptorSetSchema, { file: filesOf(services).map((file) => file.proto) });
  const implementation = ServerReflection(
    toBinary(FileDescriptorSetSchema, set),
    services.map((service) => service.typeName),
  );
  const method = ServerReflectionService.serverReflectionInfo;
  const alpha = {
    serverReflectionInfo: { ...method, path: '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo' as const },
  };
  return { definitions: [ServerReflectionService, alpha], implementation };
}
