import { StatusError } from '@quartermaster/kernel';

const shownLength = 200;

/** A path as it may stand in a message: a text of any length came from the caller. */
export function shown(path: string): string {
  return path.length <= shownLength ? path : `${path.slice(0, shownLength)}…`;
}

/** The refusal of one path of a mask. */
export function maskError(path: string, why: string, cause?: unknown): StatusError {
  const description = `path "${shown(path)}": ${why}`;
  const details = { fieldViolations: [{ field: 'update_mask', description }] };
  return new StatusError('invalid_argument', `field "update_mask": ${description}`, { cause, details });
}
