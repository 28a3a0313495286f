import type { TopicState } from './topic.ts';
import type { TopicPatch } from './topic-patch.ts';

/**
 * What the stream of the console sends, as server-sent events named by `kind`. Of each topic that was asked for, a state comes
 * first; a patch builds on everything before it about the same topic in the same stream. `alive` comes when nothing changed for
 * a while, so that a page can tell a quiet server from a dead connection. `sentAt` is the server's clock, by which all ages are
 * reckoned.
 */
export type StreamMessage =
  /** Null while the server does not know: the cluster has not been read. */
  | { readonly kind: 'state'; readonly sentAt: number; readonly topic: string; readonly state: AnyState | null }
  | { readonly kind: 'patch'; readonly sentAt: number; readonly topic: string; readonly patch: AnyPatch }
  | { readonly kind: 'alive'; readonly sentAt: number };

export type AnyState = TopicState<object, object>;
export type AnyPatch = TopicPatch<object, object>;

export const streamKinds = ['state', 'patch', 'alive'] as const satisfies readonly StreamMessage['kind'][];

/** No stream is quiet for longer than this while it works. */
export const aliveIntervalMs = 5_000;

const apiPath = '/api/console/v1';

/** Answers the state of a topic once: `/api/console/v1/topics/pods?phase=Failed`. */
export const topicsPath = `${apiPath}/topics`;
export const searchPath = `${apiPath}/search`;
/** Follows topics: one parameter `topic` for each, holding its address. */
export const streamPath = `${apiPath}/stream`;

/** One server-sent event. */
export function encodeMessage(message: StreamMessage): string {
  return `event: ${message.kind}\ndata: ${JSON.stringify(message)}\n\n`;
}

/** Something with a name that the search found. Where it is shown is the pages' business: they know the kinds. */
export interface SearchHit {
  /** `node`, `pod`, `part`, `class`, `gpu`. */
  readonly kind: string;
  /** What tells it from others of its kind: a name, `namespace/name`, `node id`. */
  readonly id: string;
  readonly label: string;
  readonly detail: string;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
}
