import { HostPoolSchema } from '@quartermaster/api/private';
import { conditionViolations, kindRules } from '@quartermaster/objects';
import { reservedHub } from './hub-of-objects.ts';
import { sizedSetReferences, sizedSetViolations } from './sized-set-rules.ts';

export const hostPoolRules = kindRules(HostPoolSchema, {
  validate: ({ spec, status }, before) => [
    ...sizedSetViolations('spec.host_sets', spec?.hostSets ?? {}, { isClassNeeded: true }),
    ...conditionViolations('status.conditions', status?.conditions ?? [], before?.status?.conditions),
  ],
  references({ spec, status }, before) {
    const classes = sizedSetReferences('spec.host_sets', spec?.hostSets ?? {}, before?.spec?.hostSets);
    const hub = status?.hub ?? '';
    if (hub === '' || hub === before?.status?.hub) return classes;
    return [...classes, { field: 'status.hub', kind: 'hubs', value: hub, isNameAllowed: false }];
  },
  reserved: [reservedHub],
  publicOutputOnly: [{ pattern: 'status', wayOut: 'the status is written by the service' }],
  lateFields: ['status.hub'],
});
