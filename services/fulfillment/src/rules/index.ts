export { clusterRules } from './cluster-rules.ts';
export { clusterTemplateRules } from './cluster-template-rules.ts';
export { hostClassRules } from './host-class-rules.ts';
export { withholdFromHost } from './host-credentials.ts';
export { hostPoolRules } from './host-pool-rules.ts';
export { type HostRuleOptions, hostRules, normaliseSpec } from './host-rules.ts';
export { withholdFromHub, withJudgedKubeconfig } from './hub-credentials.ts';
export { hubRules } from './hub-rules.ts';
export { type AllowedReferences, noReferences, ReferencePolicy } from './reference-policy.ts';
