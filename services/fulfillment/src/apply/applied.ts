import { ApplyOutcome } from '@quartermaster/api/fulfillment-extras';
import type { FieldViolation } from '@quartermaster/kernel';

/** What became of one host or class of a batch, in the form of the contract. */
export interface Applied {
  readonly id: string;
  readonly outcome: ApplyOutcome;
  readonly message: string;
  readonly violations: FieldViolation[];
  /** Paths that were changed. */
  readonly changed: string[];
}

export function applied(outcome: ApplyOutcome, id: string, changed: readonly string[] = []): Applied {
  return { id, outcome, message: '', violations: [], changed: [...changed] };
}

export function conflict(id: string, message: string): Applied {
  return { id, outcome: ApplyOutcome.CONFLICT, message, violations: [], changed: [] };
}

export function refused(id: string, violations: readonly FieldViolation[]): Applied {
  const message = violations.map(({ field, description }) => `field "${field}": ${description}`).join('; ');
  return { id, outcome: ApplyOutcome.REFUSED, message, violations: [...violations], changed: [] };
}
