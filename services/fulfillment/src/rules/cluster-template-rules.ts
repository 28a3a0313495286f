import { clone } from '@bufbuild/protobuf';
import { ClusterTemplateSchema } from '@quartermaster/api/private';
import type { KindRules, Reference } from '@quartermaster/objects';
import {
  keyText,
  metadataLateFields,
  metadataOutputOnly,
  metadataViolations,
  normaliseMetadata,
  textViolations,
  unlessShort,
} from '@quartermaster/objects';
import { definitionViolations } from './parameter-rules.ts';
import { sizedSetViolations } from './sized-set-rules.ts';

export const clusterTemplateRules: KindRules<typeof ClusterTemplateSchema> = {
  normalise(template) {
    const result = clone(ClusterTemplateSchema, template);
    normaliseMetadata(result.metadata);
    return result;
  },
  validate(template) {
    return [
      ...textViolations(ClusterTemplateSchema, template),
      ...metadataViolations(template),
      ...unlessShort('title', template.title, 256),
      ...definitionViolations(template.parameters),
      ...sizedSetViolations('node_sets', template.nodeSets, { isClassNeeded: true }),
    ];
  },
  references(template, before) {
    return Object.entries(template.nodeSets).flatMap(([key, { hostClass }]): Reference[] =>
      hostClass === '' || hostClass === before?.nodeSets[key]?.hostClass
        ? []
        : [{ field: `node_sets.${keyText(key)}.host_class`, kind: 'host_classes', value: hostClass, isNameAllowed: true }],
    );
  },
  onCreate: (object) => ({ object, violations: [] }),
  onUpdate: (_before, object) => ({ object, violations: [] }),
  onDelete: () => undefined,
  outputOnly: metadataOutputOnly,
  publicOutputOnly: [],
  lateFields: metadataLateFields,
};
