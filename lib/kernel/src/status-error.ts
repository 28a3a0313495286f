/**
 * Every expected failure in the house carries one of these codes; `lib/rpc` maps each to one
 * gRPC status and one HTTP status. A failure that fits none of them is a bug: `internal`.
 */
export const statusCodes = [
  /** The caller's input breaks a rule. Retrying the same input cannot succeed. */
  'invalid_argument',
  /** The caller did not prove who it is. */
  'unauthenticated',
  /** The caller is known and may not do this. */
  'permission_denied',
  /** What the caller named does not exist. */
  'not_found',
  /** What the caller wants to create or claim exists or is taken. */
  'already_exists',
  /** The state of the system forbids it now: a lost lease, an expired token, an object in use. Read again first. */
  'failed_precondition',
  /** Another writer was faster: the version that the caller asked for is no longer the newest. Read again and retry the whole step. */
  'aborted',
  /** The caller asks more often than it may. Waiting for `details.retryAfterMs` helps. */
  'resource_exhausted',
  /** A dependency did not answer or asked to wait. Retrying later may succeed. */
  'unavailable',
  /** A bug. */
  'internal',
] as const;

export type StatusCode = (typeof statusCodes)[number];

/** The one error class of expected failures. The message names the field or object, the rule and, where there is one, the way out. */
export class StatusError extends Error {
  readonly code: StatusCode;
  /** Facts for programs, of a type that the throwing package documents. Never holds a secret. */
  readonly details: unknown;

  constructor(code: StatusCode, message: string, options: { readonly cause?: unknown; readonly details?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StatusError';
    this.code = code;
    this.details = options.details;
  }

  /** Normalises anything thrown. What is not a StatusError is a bug and becomes `internal`, with the original as cause. */
  static from(thrown: unknown): StatusError {
    if (thrown instanceof StatusError) return thrown;
    return new StatusError('internal', textOf(thrown), { cause: thrown });
  }
}

/** True when retrying the same input can never succeed, so that a loop should stop and tell a person. */
export function isTerminal(thrown: unknown): boolean {
  return thrown instanceof StatusError && thrown.code === 'invalid_argument';
}

/** The code of an expected failure; `internal` for anything else. */
export function codeOf(thrown: unknown): StatusCode {
  return thrown instanceof StatusError ? thrown.code : 'internal';
}

/** The error and what led to it, the outermost first; at most five, since a chain of causes may be a circle. */
export function causesOf(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let error = thrown; error !== undefined && chain.length < 5; error = error instanceof Error ? error.cause : undefined) {
    chain.push(error);
  }
  return chain;
}

/** How long whoever failed asked to wait: `details.retryAfterMs` of the error or of one of its causes, whatever API they come from. */
export function retryAfterMsOf(thrown: unknown): number | undefined {
  for (const error of causesOf(thrown)) {
    const details = error instanceof StatusError ? error.details : undefined;
    if (typeof details !== 'object' || details === null || !('retryAfterMs' in details)) continue;
    const { retryAfterMs } = details;
    if (typeof retryAfterMs === 'number' && Number.isFinite(retryAfterMs) && retryAfterMs >= 0) return retryAfterMs;
  }
  return undefined;
}

/** A one-line text of anything thrown, with its chain of causes. For logs and conditions. */
export function messageOf(thrown: unknown): string {
  const parts: string[] = [];
  for (const error of causesOf(thrown)) {
    const text = textOf(error);
    if (text !== '' && !parts.some((part) => part.includes(text))) parts.push(text);
  }
  return parts.join(': ');
}

/** What anything thrown says of itself. Of an object that says nothing, only its type is told: what it holds may be a secret. */
function textOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  if ('message' in thrown && typeof thrown.message === 'string') return thrown.message;
  return `something of the type ${thrown.constructor?.name ?? 'Object'} was thrown`;
}
