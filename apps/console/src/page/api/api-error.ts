import type { FieldViolation } from '@quartermaster/kernel';
import { sentenceCase } from '../model/amounts.ts';
import { formatTime } from '../model/relative-time.ts';

/** What the API refused or could not do, as a page shows it: the sentence, and what belongs beside single fields. */
export class ApiError extends Error {
  /** `invalid_argument`, `unavailable` and so on. */
  readonly code: string;
  readonly violations: readonly FieldViolation[];
  /** For programs: `FEED_TOKEN_EXPIRED`. */
  readonly reason: string | undefined;
  /** Since when there is no answer, where that is the problem. */
  readonly since: number | undefined;

  constructor(
    code: string,
    message: string,
    details: { readonly fieldViolations?: readonly FieldViolation[]; readonly reason?: string; readonly since?: number } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.violations = details.fieldViolations ?? [];
    this.reason = details.reason;
    this.since = details.since;
  }

  /** Anything thrown, as a page can show it. */
  static from(thrown: unknown): ApiError {
    if (thrown instanceof ApiError) return thrown;
    return new ApiError('unavailable', thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** What is wrong with asking, while something is: what may pass is asked again without end. */
export const problemOf = (thrown: Error | null): ApiError | undefined => (thrown === null ? undefined : ApiError.from(thrown));

/** Whether the same request may succeed later. */
export const isPassing = ({ code }: ApiError): boolean => ['unavailable', 'resource_exhausted', 'internal'].includes(code);

/** What went wrong, as sentences for a person: what failed, since when, and what happens next. `who` was asked. */
export function problemText({ code, message, since }: Pick<ApiError, 'code' | 'message' | 'since'>, who = 'fulfillment service'): string {
  if (code === 'unavailable' && since !== undefined) {
    return `The ${who} has not answered since ${formatTime(since)}. Retrying automatically.`;
  }
  const text = message.trim();
  return `${sentenceCase(text)}${/[.?!]$/.test(text) ? '' : '.'}`;
}
