export { applyMask } from './apply-mask.ts';
export { keyText, type MaskPath, type MaskStep } from './mask-path.ts';
export { keepStored, type MergeRules, mergeUnmasked } from './merge-unmasked.ts';
export { type OutputOnly, outputOnlyViolations } from './output-only.ts';
export { type MaskOptions, parseMask } from './parse-mask.ts';
export { isAbove, isWithin, type PathPattern } from './path-pattern.ts';
export { isRedacted, redacted, redactedBytes } from './redacted.ts';
