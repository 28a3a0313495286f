export { applyMask } from './apply-mask.ts';
export { keyText, type MaskPath, type MaskStep } from './mask-path.ts';
export { keepStored, mergeUnmasked } from './merge-unmasked.ts';
export { type OutputOnly, outputOnlyViolations, type PathPattern } from './output-only.ts';
export { parseMask } from './parse-mask.ts';
export { isRedacted, redacted } from './redacted.ts';
