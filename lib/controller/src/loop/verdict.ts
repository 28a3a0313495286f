import { causesOf, codeOf, isTerminal, retryAfterMsOf, StatusError } from '@quartermaster/kernel';
import type { Outcome } from './reconciler.ts';

/** What one reconcile came to, before the queue is told. */
export type ReconcileVerdict =
  | Outcome
  /** Retrying cannot help: someone must change the object. */
  | { readonly kind: 'terminal'; readonly error: unknown }
  /** Our copy was old. Ordinary, and over as soon as the cache has caught up. */
  | { readonly kind: 'conflict'; readonly error: unknown }
  | { readonly kind: 'failed'; readonly error: unknown; readonly retryAfterMs: number | undefined };

/** Checks what a reconciler returned. A delay that is no number of milliseconds is a bug of the reconciler, not of the loop. */
export function verdictOfOutcome(outcome: Outcome): ReconcileVerdict {
  if (outcome.kind === 'done' || (Number.isFinite(outcome.afterMs) && outcome.afterMs >= 0)) return outcome;
  const error = new StatusError('internal', `again(afterMs) needs a non-negative number of milliseconds, not ${outcome.afterMs}`);
  return { kind: 'failed', error, retryAfterMs: undefined };
}

/** Sorts what a reconciler threw, by codes only. The outermost error says whether it is terminal; what an API said may lie deeper, as a cause. */
export function verdictOfError(error: unknown): ReconcileVerdict {
  if (isTerminal(error)) return { kind: 'terminal', error };
  if (causesOf(error).some((cause) => codeOf(cause) === 'aborted')) return { kind: 'conflict', error };
  return { kind: 'failed', error, retryAfterMs: retryAfterMsOf(error) };
}
