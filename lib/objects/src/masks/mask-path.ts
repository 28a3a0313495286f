import type { DescField } from '@bufbuild/protobuf';

/** One step from a message to a part of it. */
export type MaskStep =
  | { readonly kind: 'field'; readonly field: DescField }
  | { readonly kind: 'key'; readonly key: string | number | bigint | boolean }
  | { readonly kind: 'index'; readonly index: number };

/** A path of a field mask that is known to exist in the type it was parsed for. */
export interface MaskPath {
  /** The canonical spelling: two paths to the same place have the same text. */
  readonly text: string;
  /** Field names, keys and indexes as text: what path patterns match. */
  readonly segments: readonly string[];
  readonly steps: readonly MaskStep[];
}

const plainKey = /^[A-Za-z0-9_-]+$/;

export function maskPath(steps: readonly MaskStep[]): MaskPath {
  return { text: steps.map(stepText).join('.'), segments: steps.map(stepSegment), steps };
}

/** The key as it must be written in a path: bare, or in backquotes when it holds anything but letters, digits, `_` and `-`. */
export function keyText(key: string): string {
  return plainKey.test(key) ? key : `\`${key.replaceAll('`', '``')}\``;
}

function stepText(step: MaskStep): string {
  return step.kind === 'key' ? keyText(String(step.key)) : stepSegment(step);
}

function stepSegment(step: MaskStep): string {
  switch (step.kind) {
    case 'field':
      return step.field.name;
    case 'key':
      return String(step.key);
    case 'index':
      return String(step.index);
  }
}
