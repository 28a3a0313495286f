import { create, type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { ServerReflection, ServerReflectionService } from 'nice-grpc-server-reflection';

/** Describes the services to tools such as grpcurl and `buf curl`. Both versions of the protocol have the same messages. */
export function reflectionOf(services: readonly DescService[]) {
  const files = new Map<string, DescFile>(); // name -> file
  for (const service of services) collect(service.file, files);
  const set = create(FileDescriptorSetSchema, { file: [...files.values()].map((file) => file.proto) });
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

function collect(file: DescFile, into: Map<string, DescFile>): void {
  if (into.has(file.proto.name)) return;
  into.set(file.proto.name, file);
  for (const dependency of file.dependencies) collect(dependency, into);
}
