import { StatusError } from './status-error.ts';

/** One field of the caller's input that breaks a rule. */
export interface FieldViolation {
  /** Path by the names of the contract: `spec.node_sets['workers'].size`. */
  readonly field: string;
  /** The rule and, where there is one, the way out: a text that can stand beside the field. Never holds a secret. */
  readonly description: string;
}

/** The refusal of an input that names every field that is wrong. Its details are `{ fieldViolations }`, which fieldViolationsOf reads back. */
export function invalidFields(violations: readonly FieldViolation[]): StatusError {
  const message = violations.map(({ field, description }) => `field "${field}": ${description}`).join('; ');
  return new StatusError('invalid_argument', message === '' ? 'the input breaks a rule' : message, {
    details: { fieldViolations: violations },
  });
}

/** The fields that an error names, also after a journey over the wire; empty where it names none. */
export function fieldViolationsOf(thrown: unknown): readonly FieldViolation[] {
  if (!(thrown instanceof StatusError)) return [];
  const { details } = thrown;
  if (typeof details !== 'object' || details === null || !('fieldViolations' in details)) return [];
  return Array.isArray(details.fieldViolations) ? details.fieldViolations.filter(isFieldViolation) : [];
}

function isFieldViolation(value: unknown): value is FieldViolation {
  if (typeof value !== 'object' || value === null || !('field' in value && 'description' in value)) return false;
  return typeof value.field === 'string' && typeof value.description === 'string';
}
