import { ClusterTemplateSchema } from '@quartermaster/api/private';
import { kindRules, unlessShort } from '@quartermaster/objects';
import { definitionViolations } from './parameter-rules.ts';
import { sizedSetReferences, sizedSetViolations } from './sized-set-rules.ts';

export const clusterTemplateRules = kindRules(ClusterTemplateSchema, {
  validate: ({ title, parameters, nodeSets }) => [
    ...unlessShort('title', title, 256),
    ...definitionViolations(parameters),
    ...sizedSetViolations('node_sets', nodeSets, { isClassNeeded: true }),
  ],
  references: ({ nodeSets }, before) => sizedSetReferences('node_sets', nodeSets, before?.nodeSets),
});
