import { nearest } from '@quartermaster/kernel';
import type { ConfigDefinition } from './define-config.ts';
import type { ConfigProblem, Origin } from './origin.ts';

/** One value as a source gave it, before the schema has seen it. */
export interface RawSetting {
  /** Dotted: `tls.cert-file`. */
  readonly name: string;
  readonly value: unknown;
  readonly origin: Origin;
  /** Where a part of the value is, for lists and maps. */
  originOf?(pathInside: readonly PropertyKey[]): Origin | undefined;
}

/** What one source had to say. */
export interface SourceResult {
  readonly settings: readonly RawSetting[];
  readonly problems: readonly ConfigProblem[];
}

/** The definition in force, and keys that are known but belong to something that does not run here: they are accepted and ignored. */
export interface KnownKeys {
  readonly definition: ConfigDefinition;
  readonly alsoKnown?: ConfigDefinition | undefined;
}

/** The sentence about a key that nobody knows, with the nearest one that somebody does. */
export function unknownKey(name: string, known: Iterable<string>, what: string): string {
  const guess = nearest(name, known);
  return guess === undefined ? `is not a known ${what}: remove it or see the reference` : `is not a known ${what}: did you mean ${guess}?`;
}
