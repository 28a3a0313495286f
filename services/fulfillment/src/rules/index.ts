export { clusterRules } from './cluster-rules.ts';
export { clusterTemplateRules } from './cluster-template-rules.ts';
export { hostClassRules } from './host-class-rules.ts';
export { hostPoolRules } from './host-pool-rules.ts';
export { hostRules } from './host-rules.ts';
export { hubRules } from './hub-rules.ts';
