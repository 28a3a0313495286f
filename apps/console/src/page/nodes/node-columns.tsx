import { Link } from 'wouter';
import type { ConsoleNode } from '../../console-source.ts';
import { nodeHref } from '../model/addresses.ts';
import { formatBytes, formatCores, formatInteger } from '../model/amounts.ts';
import type { NodeColumn } from '../model/node-order.ts';
import { nodeTone } from '../model/node-state.ts';
import { Changing } from '../parts/changing.tsx';
import type { GridColumn } from '../parts/grid.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

export const nodeColumns: readonly GridColumn<ConsoleNode, NodeColumn>[] = [
  {
    name: 'name',
    heading: 'Name',
    titleOf: ({ name }) => name,
    show: ({ name }) => (
      <Link href={nodeHref(name)} tabIndex={-1}>
        {name}
      </Link>
    ),
  },
  {
    name: 'state',
    heading: 'State',
    show: (node) => (
      <Changing value={node.state}>
        <StateWord tone={nodeTone(node)} word={node.state} />
      </Changing>
    ),
  },
  { name: 'rack', heading: 'Rack', show: ({ rack }) => rack ?? <span className="dim">–</span> },
  {
    name: 'cpu',
    heading: 'Cores',
    isNumber: true,
    titleOf: ({ cpuMillis }) => `${cpuMillis} millicores`,
    show: ({ cpuMillis }) => formatCores(cpuMillis),
  },
  {
    name: 'memory',
    heading: 'Memory',
    isNumber: true,
    titleOf: ({ memoryBytes }) => `${memoryBytes} bytes`,
    show: ({ memoryBytes }) => formatBytes(memoryBytes),
  },
  { name: 'gpus', heading: 'GPUs', show: ({ gpus }) => <GpuWords gpus={gpus} /> },
  { name: 'pods', heading: 'Pods', isNumber: true, show: ({ pods }) => <Changing value={pods}>{formatInteger(pods)}</Changing> },
  { name: 'heartbeat', heading: 'Heartbeat', isNumber: true, show: (node) => <Heartbeat node={node} /> },
];

export function GpuWords({ gpus }: { readonly gpus: ConsoleNode['gpus'] }) {
  const words = Object.entries(gpus).map(([model, count]) => `${formatInteger(count)} × ${model}`);
  return words.length === 0 ? <span className="dim">–</span> : <span title={words.join(', ')}>{words.join(', ')}</span>;
}

/** When the node last renewed its lease. */
export function Heartbeat({ node: { heartbeatAt } }: { readonly node: ConsoleNode }) {
  return heartbeatAt === undefined ? <span className="dim">not known</span> : <TimeAgo at={heartbeatAt} />;
}
