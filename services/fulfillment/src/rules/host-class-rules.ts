import { clone } from '@bufbuild/protobuf';
import { HostClassSchema } from '@quartermaster/api/private';
import type { KindRules } from './kind-rules.ts';
import { metadataLateFields, metadataOutputOnly, metadataViolations, normalisedMetadata } from './metadata-rules.ts';
import { textViolations, unlessShort } from './text-rules.ts';

export const hostClassRules: KindRules<typeof HostClassSchema> = {
  kind: 'host_classes',
  schema: HostClassSchema,
  normalise(hostClass) {
    const result = clone(HostClassSchema, hostClass);
    if (result.metadata !== undefined) result.metadata = normalisedMetadata(result.metadata);
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
  secrets: [],
  usedBy: [
    { kind: 'hosts', field: 'spec.class', blocks: 'delete' },
    { kind: 'cluster_templates', field: 'node_sets.*.host_class', blocks: 'delete' },
    { kind: 'clusters', field: 'spec.node_sets.*.host_class', blocks: 'delete' },
    { kind: 'host_pools', field: 'spec.host_sets.*.host_class', blocks: 'delete' },
  ],
};
