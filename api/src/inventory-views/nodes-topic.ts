import type { NodeRow } from './node-row.ts';
import type { Topic } from './topic.ts';

/** All nodes, or the one that is named; which is no row at all when there is no such node. */
export interface NodesParams {
  readonly name?: string | undefined;
}

export interface NodesHead {
  /** Of the whole cluster. */
  readonly total: number;
}

export const nodesTopic: Topic<NodesParams, NodesHead, NodeRow> = {
  name: 'nodes',
  keyOf: ({ name }) => name,
  parse: (params) => ({ name: params.get('name') ?? undefined }),
  format: ({ name }) => ({ name }),
};
