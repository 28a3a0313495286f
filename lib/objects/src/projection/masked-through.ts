import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { FieldViolation } from '@quartermaster/kernel';
import { applyMask, keepStored, type MaskPath, type OutputOnly, outputOnlyViolations, type PathPattern } from '../masks/index.ts';
import type { Projection } from './projection.ts';

export interface ThroughRules {
  readonly secrets: readonly PathPattern[];
  readonly outputOnly: readonly OutputOnly[];
}

/**
 * What an update with a mask makes of the stored object when it comes through the public API. The mask is applied to what the API shows, so that a path such as `spec`
 * means the public fields of the spec, and what lies beside them in the private one stays.
 */
export function maskedThrough<Public extends DescMessage, Private extends DescMessage>(
  projection: Projection<Public, Private>,
  stored: MessageShape<Private>,
  input: MessageShape<Public>,
  paths: readonly MaskPath[],
  { secrets, outputOnly }: ThroughRules,
): { readonly object: MessageShape<Private>; readonly violations: readonly FieldViolation[] } {
  const { publicSchema, privateSchema } = projection;
  const shown = projection.toPublic(stored);
  const wished = applyMask(publicSchema, shown, input, paths);
  return {
    object: keepStored(privateSchema, stored, projection.toPrivate(wished, stored), { secrets, outputOnly }),
    violations: outputOnlyViolations(publicSchema, shown, wished, paths, outputOnly),
  };
}
