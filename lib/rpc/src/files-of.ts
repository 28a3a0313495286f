import type { DescFile, DescService } from '@bufbuild/protobuf';

/** The files that services are written in and everything that these import, each once. */
export function filesOf(services: readonly DescService[]): DescFile[] {
  const files = new Map<string, DescFile>(); // name -> file
  const collect = (file: DescFile): void => {
    if (files.has(file.proto.name)) return;
    files.set(file.proto.name, file);
    file.dependencies.forEach(collect);
  };
  for (const service of services) collect(service.file);
  return [...files.values()];
}
