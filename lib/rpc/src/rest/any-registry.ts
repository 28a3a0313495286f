import { createMutableRegistry, type DescFile, type Registry } from '@bufbuild/protobuf';
import {
  BoolValueSchema,
  BytesValueSchema,
  DoubleValueSchema,
  DurationSchema,
  EmptySchema,
  FloatValueSchema,
  Int32ValueSchema,
  Int64ValueSchema,
  ListValueSchema,
  StringValueSchema,
  StructSchema,
  TimestampSchema,
  UInt32ValueSchema,
  UInt64ValueSchema,
  ValueSchema,
} from '@bufbuild/protobuf/wkt';
import type { ServedService } from '../service-handlers.ts';

/** The types that JSON of an Any may name: those of the services' contracts and Google's types for plain values. */
export function anyRegistry(services: readonly ServedService[]): Registry {
  const registry = createMutableRegistry(
    BoolValueSchema,
    BytesValueSchema,
    DoubleValueSchema,
    DurationSchema,
    EmptySchema,
    FloatValueSchema,
    Int32ValueSchema,
    Int64ValueSchema,
    ListValueSchema,
    StringValueSchema,
    StructSchema,
    TimestampSchema,
    UInt32ValueSchema,
    UInt64ValueSchema,
    ValueSchema,
  );
  const seen = new Set<DescFile>();
  const add = (file: DescFile): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const message of file.messages) registry.add(message);
    file.dependencies.forEach(add);
  };
  for (const { descriptor } of services) add(descriptor.file);
  return registry;
}
