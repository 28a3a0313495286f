import { clone } from '@bufbuild/protobuf';
import { HostPoolSchema } from '@quartermaster/api/private';
import type { KindRules, Reference } from '@quartermaster/objects';
import {
  conditionViolations,
  keyText,
  metadataLateFields,
  metadataOutputOnly,
  metadataViolations,
  normaliseMetadata,
  textViolations,
} from '@quartermaster/objects';
import { sizedSetViolations } from './sized-set-rules.ts';

export const hostPoolRules: KindRules<typeof HostPoolSchema> = {
  normalise(pool) {
    const result = clone(HostPoolSchema, pool);
    normaliseMetadata(result.metadata);
    return result;
  },
  validate(pool) {
    return [
      ...textViolations(HostPoolSchema, pool),
      ...metadataViolations(pool),
      ...sizedSetViolations('spec.host_sets', pool.spec?.hostSets ?? {}, { isClassNeeded: true }),
      ...conditionViolations('status.conditions', pool.status?.conditions ?? []),
    ];
  },
  references(pool, before) {
    const classes = Object.entries(pool.spec?.hostSets ?? {}).flatMap(([key, { hostClass }]): Reference[] =>
      hostClass === '' || hostClass === before?.spec?.hostSets[key]?.hostClass
        ? []
        : [{ field: `spec.host_sets.${keyText(key)}.host_class`, kind: 'host_classes', value: hostClass, isNameAllowed: true }],
    );
    const hub = pool.status?.hub ?? '';
    if (hub === '' || hub === before?.status?.hub) return classes;
    return [...classes, { field: 'status.hub', kind: 'hubs', value: hub, isNameAllowed: false }];
  },
  onCreate: (object) => ({ object, violations: [] }),
  onUpdate: (_before, object) => ({ object, violations: [] }),
  onDelete: () => undefined,
  outputOnly: metadataOutputOnly,
  publicOutputOnly: [{ pattern: 'status', wayOut: 'the status is written by the service' }],
  lateFields: metadataLateFields,
};
