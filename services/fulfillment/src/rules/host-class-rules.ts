import { clone } from '@bufbuild/protobuf';
import { HostClassSchema } from '@quartermaster/api/private';
import type { KindRules } from '@quartermaster/objects';
import {
  metadataLateFields,
  metadataOutputOnly,
  metadataViolations,
  normaliseMetadata,
  textViolations,
  unlessShort,
} from '@quartermaster/objects';

export const hostClassRules: KindRules<typeof HostClassSchema> = {
  normalise(hostClass) {
    const result = clone(HostClassSchema, hostClass);
    normaliseMetadata(result.metadata);
    return result;
  },
  validate(hostClass) {
    return [...textViolations(HostClassSchema, hostClass), ...metadataViolations(hostClass), ...unlessShort('title', hostClass.title, 256)];
  },
  references: () => [],
  onCreate: (object) => ({ object, violations: [] }),
  onUpdate: (_before, object) => ({ object, violations: [] }),
  onDelete: () => undefined,
  outputOnly: metadataOutputOnly,
  publicOutputOnly: [],
  lateFields: metadataLateFields,
};
