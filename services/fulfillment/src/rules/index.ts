export { clusterRules } from './cluster-rules.ts';
export { clusterTemplateRules } from './cluster-template-rules.ts';
export { hostClassRules } from './host-class-rules.ts';
export { hostPoolRules } from './host-pool-rules.ts';
export { hostRules } from './host-rules.ts';
export { hubRules } from './hub-rules.ts';
export { inUseError, type Users } from './in-use.ts';
export {
  type KindName,
  type KindRules,
  kindNames,
  kindTitles,
  type Prepared,
  type Reference,
  type Referenced,
  type ReferencedByField,
  type Usage,
} from './kind-rules.ts';
export { parameterTypes } from './parameter-rules.ts';
export { type BoundReferences, bindReferences, type Candidate, referenceError } from './references.ts';
