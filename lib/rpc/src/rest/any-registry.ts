import { createRegistry, type Registry } from '@bufbuild/protobuf';
import {
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from '@bufbuild/protobuf/wkt';
import { filesOf } from '../files-of.ts';
import type { ServedService } from '../service-handlers.ts';

/** The types that JSON of an Any may name: those of the services' contracts and Google's types for plain values. */
export function anyRegistry(services: readonly ServedService[]): Registry {
  return createRegistry(
    file_google_protobuf_duration,
    file_google_protobuf_empty,
    file_google_protobuf_struct,
    file_google_protobuf_timestamp,
    file_google_protobuf_wrappers,
    ...filesOf(services.map((service) => service.descriptor)),
  );
}
