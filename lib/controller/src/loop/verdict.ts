import { isTerminal, StatusError } from '@quartermaster/kernel';
import { failureOf, type KubeFailure, retryAfterMsOf } from '@quartermaster/kube';
import type { Outcome } from './reconciler.ts';

/** What one reconcile came to, before the queue is told. */
export type Verdict =
  | Outcome
  /** Retrying cannot help: someone must change the object. */
  | { readonly kind: 'terminal'; readonly error: unknown }
  /** Our copy was old. Ordinary, and over as soon as the cache has caught up. */
  | { readonly kind: 'conflict'; readonly error: unknown }
  | { readonly kind: 'failed'; readonly error: unknown; readonly retryAfterMs: number | undefined };

/** Checks what a reconciler returned. A delay that is no number of milliseconds is a bug of the reconciler, not of the loop. */
export function verdictOfOutcome(outcome: Outcome): Verdict {
  if (outcome.kind === 'done' || (Number.isFinite(outcome.afterMs) && outcome.afterMs >= 0)) return outcome;
  const error = new StatusError('internal', `again(afterMs) must be given zero or more milliseconds, not ${outcome.afterMs}`);
  return { kind: 'failed', error, retryAfterMs: undefined };
}

/** Sorts what a reconciler threw. The outermost error says whether it is terminal; what the server said may lie deeper, as a cause. */
export function verdictOfError(error: unknown): Verdict {
  if (isTerminal(error)) return { kind: 'terminal', error };
  const source = causeWithFailure(error);
  const failure = failureOf(source);
  if (failure !== undefined && isStale(failure)) return { kind: 'conflict', error };
  return { kind: 'failed', error, retryAfterMs: retryAfterMsOf(source) };
}

/** A conflict with another field manager lasts until someone gives way, so it is a failure to tell of and not a stale copy. */
function isStale(failure: KubeFailure): boolean {
  return failure.kind === 'conflict' && !failure.causes.some((cause) => cause.reason === 'FieldManagerConflict');
}

function causeWithFailure(thrown: unknown): unknown {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error; depth += 1) {
    if (failureOf(error) !== undefined) return error;
    error = error.cause;
  }
  return thrown;
}
