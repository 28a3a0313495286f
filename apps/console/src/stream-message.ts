import type { ConsoleSnapshot } from './console-source.ts';
import type { SnapshotPatch } from './snapshot-patch.ts';

/**
 * What the stream of the console sends, as server-sent events named by `kind`. The first is always a snapshot; a patch builds
 * on everything before it in the same stream. `alive` comes when nothing changed for a while, so that a page can tell a quiet
 * server from a dead connection. `sentAt` is the server's clock, by which all ages are reckoned.
 */
export type StreamMessage =
  | { readonly kind: 'snapshot'; readonly sentAt: number; readonly snapshot: ConsoleSnapshot }
  | { readonly kind: 'patch'; readonly sentAt: number; readonly patch: SnapshotPatch }
  | { readonly kind: 'alive'; readonly sentAt: number };

export const streamKinds = ['snapshot', 'patch', 'alive'] as const satisfies readonly StreamMessage['kind'][];

/** No stream is quiet for longer than this while it works. */
export const aliveEveryMs = 5_000;

export const snapshotPath = '/api/console/v1/snapshot';
export const streamPath = '/api/console/v1/stream';

/** One server-sent event. */
export function encodeMessage(message: StreamMessage): string {
  return `event: ${message.kind}\ndata: ${JSON.stringify(message)}\n\n`;
}
