import { type PodUsage, podKey } from '@quartermaster/api/inventory-views';
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import type { PodRow } from '../../kubernetes-view.ts';
import { nodeHref, podHref } from '../model/addresses.ts';
import { formatBytes, formatCores, formatInteger } from '../model/amounts.ts';
import { podTone } from '../model/pod-tone.ts';
import { shortId } from '../model/short-id.ts';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { Grid, type GridColumn } from '../parts/table/grid.tsx';
import { type Held, useHeldRows } from '../parts/table/use-held-rows.ts';
import { TimeAgo } from '../parts/time-ago.tsx';

const allColumns: readonly GridColumn<PodRow>[] = [
  {
    name: 'pod',
    heading: 'Pod',
    titleOf: ({ name }) => name,
    show: (pod) => (
      <Link href={podHref(podKey(pod))} tabIndex={-1} className="mono">
        {pod.name}
      </Link>
    ),
  },
  { name: 'namespace', heading: 'Namespace', titleOf: ({ namespace }) => namespace, show: ({ namespace }) => namespace },
  {
    name: 'phase',
    heading: 'Phase',
    titleOf: ({ phase, reason }) => reason ?? phase,
    show: ({ phase, reason }) => (
      <Changing value={`${phase} ${reason ?? ''}`}>
        <StateWord tone={podTone(phase)} word={phase} />
        {reason !== undefined && <span className="dim"> {reason}</span>}
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
  {
    name: 'restarts',
    heading: 'Restarts',
    isNumber: true,
    show: ({ restarts }) =>
      restarts === 0 ? <span className="dim">–</span> : <Changing value={restarts}>{formatInteger(restarts)}</Changing>,
  },
  { name: 'created', heading: 'Created', isNumber: true, show: ({ createdAt }) => createdAt !== undefined && <TimeAgo at={createdAt} /> },
];

/** What pods take, by `namespace/name`; a pod that takes nothing is not in it. Undefined while nobody knows. */
type Takes = ReadonlyMap<string, PodUsage> | undefined;

/** On the page of a node all of them are on that node, and what each takes of it is what matters. */
function columnsOfNode(takes: Takes): readonly GridColumn<PodRow>[] {
  const column = (name: string, heading: string, text: (take: PodUsage) => string, isNumber: boolean): GridColumn<PodRow> => ({
    name,
    heading,
    isNumber,
    titleOf: (pod) => takeText(takes, pod, text),
    show: (pod) => takeText(takes, pod, text),
  });
  const [pod, namespace, phase] = allColumns;
  const created = allColumns.at(-1);
  return [
    ...[pod, namespace, phase].filter((each) => each !== undefined),
    column('cores', 'Cores', ({ cpuMillis }) => formatCores(cpuMillis), true),
    column('memory', 'Memory', ({ memoryBytes, ramBytes }) => formatBytes(memoryBytes + ramBytes), true),
    column('devices', 'Devices', devicesText, false),
    ...(created === undefined ? [] : [created]),
  ];
}

function takeText(takes: Takes, pod: PodRow, text: (take: PodUsage) => string): string {
  if (takes === undefined) return '?';
  const take = takes.get(podKey(pod));
  return take === undefined ? '–' : text(take);
}

/** `2 nvidia.com/gpu`, with the cards where they are known. */
function devicesText({ devices, gpus }: PodUsage): string {
  const counted = Object.entries(devices).map(([name, count]) => `${count} ${name}`);
  const cards = gpus.length === 0 ? '' : ` (${gpus.map(shortId).join(', ')})`;
  return counted.length === 0 ? '–' : `${counted.join(', ')}${cards}`;
}

/** The pods of one page, held in place under the pointer. */
export function useHeldPods(pods: readonly PodRow[], scope: string): Held<PodRow> {
  return useHeldRows(pods, podKey, scope);
}

interface PodTableProps {
  readonly held: Held<PodRow>;
  readonly scope: string;
  /** On the page of a node. */
  readonly ofNode?: { readonly takesOf: Takes } | undefined;
  /** What is shown is not what was asked for. */
  readonly isStale?: boolean | undefined;
}

/** Enter, or a click on its name, opens the page of a pod. */
export function PodTable({ held: { rows, holdProps }, scope, ofNode, isStale }: PodTableProps) {
  const [, navigate] = useLocation();
  const isOfNode = ofNode !== undefined;
  const takes = ofNode?.takesOf;
  const columns = useMemo(() => (isOfNode ? columnsOfNode(takes) : allColumns), [isOfNode, takes]);
  return (
    <div className="table-space" data-stale={isStale === true ? 'true' : undefined} {...holdProps}>
      <Grid
        label="Pods"
        layout={isOfNode ? 'node-pod' : 'pod'}
        columns={columns}
        rows={rows}
        keyOf={podKey}
        onOpen={(pod) => navigate(podHref(podKey(pod)))}
        scope={scope}
      />
    </div>
  );
}
