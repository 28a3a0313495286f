export { applyMask } from './apply-mask.ts';
export { keyText, type MaskPath, type MaskStep } from './mask-path.ts';
export { keepStored, mergeUnmasked } from './merge-unmasked.ts';
export { type OutputOnly, outputOnlyViolations } from './output-only.ts';
export { parseMask } from './parse-mask.ts';
export type { PathPattern } from './path-pattern.ts';
export { isRedacted, redacted } from './redacted.ts';
