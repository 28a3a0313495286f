export { enumViolations } from './enum-rules.ts';
export {
  type KindRules,
  kindRules,
  type Prepared,
  type Reference,
  type Referenced,
  type ReferencedByField,
  type ReservedField,
  type SentUpdate,
  type Usage,
} from './kind-rules.ts';
export { metadataLateFields, metadataOutputOnly, metadataViolations, normaliseMetadata } from './metadata-rules.ts';
export { conditionViolations, isReason, keyViolations, textViolations, unlessBetween, unlessMatches, unlessShort } from './text-rules.ts';
