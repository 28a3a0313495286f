import { type HostRuleOptions, noReferences, ReferencePolicy } from '../src/rules/index.ts';

/** Rules of a service whose settings allow no reference, at the beginning of time. */
export const testRules: HostRuleOptions = { references: new ReferencePolicy(noReferences), clock: { now: () => 0 } };
