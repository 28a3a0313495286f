import type { AnyState } from './topic.ts';
import type { AnyPatch } from './topic-patch.ts';

/**
 * What whoever follows topics is told. Of each, a state comes first; a patch builds on everything before it about the same topic in the same stream.
 * `alive` comes when nothing changed for a while, so that a quiet server can be told from a dead connection. `sentAt` is the server's clock, by
 * which all ages are reckoned.
 */
export type StreamMessage =
  /** Null while the server does not know: the cluster has not been read. */
  | { readonly kind: 'state'; readonly sentAt: number; readonly topic: string; readonly state: AnyState | null }
  | { readonly kind: 'patch'; readonly sentAt: number; readonly topic: string; readonly patch: AnyPatch }
  | { readonly kind: 'alive'; readonly sentAt: number };

/** No stream is quiet for longer than this while it works. */
export const aliveIntervalMs = 5_000;
