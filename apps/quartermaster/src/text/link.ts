import type { FollowStatus } from '@quartermaster/kernel';

/** Whether what is shown is still being confirmed. */
export type Link =
  | { readonly isLive: true }
  /** `lastContactAt` in milliseconds since the epoch; undefined when nothing was ever heard. */
  | { readonly isLive: false; readonly lastContactAt: number | undefined; readonly reason: string };

/** `reasonOf` puts into words why a stream ended; undefined when the other side just ended it. */
export function linkOf({ state, heardAt }: FollowStatus, reasonOf: (error: unknown) => string): Link {
  if (state.kind === 'following') return { isLive: true };
  const reason = state.kind === 'reconnecting' ? reasonOf(state.error) : 'not connected yet';
  return { isLive: false, lastContactAt: heardAt, reason };
}
