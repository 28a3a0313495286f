import { useMemo } from 'react';
import { Link } from 'wouter';
import type { ConsolePod } from '../../console-source.ts';
import { newestFirst, podKey } from '../../topics/pods-topic.ts';
import { useFreshness } from '../live/use-live.ts';
import { nodeHref } from '../model/addresses.ts';
import { podTone } from '../model/node-state.ts';
import { Changing } from '../parts/changing.tsx';
import { Grid, type GridColumn } from '../parts/grid.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { type Held, useHeldRows } from '../parts/use-held-rows.ts';

const allColumns: readonly GridColumn<ConsolePod>[] = [
  { name: 'pod', heading: 'Pod', titleOf: ({ name }) => name, show: ({ name }) => <span className="mono">{name}</span> },
  { name: 'namespace', heading: 'Namespace', titleOf: ({ namespace }) => namespace, show: ({ namespace }) => namespace },
  {
    name: 'phase',
    heading: 'Phase',
    show: ({ phase }) => (
      <Changing value={phase}>
        <StateWord tone={podTone(phase)} word={phase} />
      </Changing>
    ),
  },
  {
    name: 'node',
    heading: 'Node',
    show: ({ node }) =>
      node === undefined ? (
        <span className="dim">not placed yet</span>
      ) : (
        <Link href={nodeHref(node)} tabIndex={-1}>
          {node}
        </Link>
      ),
  },
  { name: 'changed', heading: 'Changed', isNumber: true, show: ({ changedAt }) => <TimeAgo at={changedAt} /> },
];

/** On the page of a node, all of them are on that node. */
const columnsOfNode = allColumns.filter(({ name }) => name !== 'node');

/** The pods of one page, those that changed last first, held in place under the pointer. */
export function useHeldPods(pods: readonly ConsolePod[], scope: string): Held<ConsolePod> {
  const newest = useMemo(() => pods.toSorted(newestFirst), [pods]);
  return useHeldRows(newest, podKey, scope);
}

interface PodTableProps {
  readonly held: Held<ConsolePod>;
  readonly scope: string;
  readonly isOfOneNode?: boolean;
}

export function PodTable({ held: { rows, holdProps }, scope, isOfOneNode = false }: PodTableProps) {
  const isStale = useFreshness().kind === 'stale';
  return (
    <div className="table-space" data-stale={isStale ? 'true' : undefined} {...holdProps}>
      <Grid
        label="Pods"
        layout={isOfOneNode ? 'node-pod' : 'pod'}
        columns={isOfOneNode ? columnsOfNode : allColumns}
        rows={rows}
        keyOf={podKey}
        scope={scope}
      />
    </div>
  );
}
