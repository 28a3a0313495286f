/**
 * How far what a follower knows can be believed.
 *
 * - `stopped`: it was not started, was stopped, or gave up; then `error` says why.
 * - `connecting`: the first stream since the start has not said anything yet, or everything must be listed anew.
 * - `following`: a stream is open, and all that it said so far is known.
 * - `reconnecting`: the stream broke. What is known is not confirmed `since` then, and stays so until another one speaks. `retryAt` is when that is
 *   tried; in the past while it is. `error` is why the last stream ended; undefined when the other side just ended it.
 *
 * Moments are of the wall clock, in ms.
 */
export type FollowState =
  | { readonly kind: 'stopped'; readonly error: unknown }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'following' }
  | { readonly kind: 'reconnecting'; readonly since: number; readonly retryAt: number; readonly error: unknown };

export interface FollowStatus {
  readonly state: FollowState;
  /** When the other side was last heard, over all streams; undefined before it first was. */
  readonly heardAt: number | undefined;
}

/**
 * What the error that ended a stream means: `resume` after the wait from the token, `restart` after the wait without it, since the other side no
 * longer has what came after it, or `fail`: trying again cannot help.
 */
export type FollowVerdict = 'resume' | 'restart' | 'fail';
