import type { AmountTuple, NodeRow, NodeSale } from '@quartermaster/api/inventory-views';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { nodeHref } from '../model/addresses.ts';
import { formatBytes, formatBytesOf, formatCores, formatInteger } from '../model/amounts.ts';
import { reasonWords } from '../model/capacity-words.ts';
import type { NodeColumn } from '../model/node-order.ts';
import { nodeTone, nodeWords } from '../model/node-state.ts';
import { Changing } from '../parts/changing.tsx';
import type { GridColumn } from '../parts/grid.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

export const nodeColumns: readonly GridColumn<NodeRow, NodeColumn>[] = [
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
      <Changing value={nodeWords(node)}>
        <StateWord tone={nodeTone(node)} word={nodeWords(node)} />
      </Changing>
    ),
  },
  { name: 'rack', heading: 'Rack', show: ({ rack }) => rack ?? <span className="dim">–</span> },
  {
    name: 'cpu',
    heading: 'Cores free',
    isNumber: true,
    titleOf: ({ cpuMillis, sale }) => `${sale === undefined ? '' : `${sale.cpu[2]} of `}${cpuMillis} millicores`,
    show: ({ cpuMillis, sale }) => (
      <ForSale sale={sale}>
        <FreeOf use={sale?.cpu} text={formatCores} whole={formatCores(cpuMillis)} />
      </ForSale>
    ),
  },
  {
    name: 'memory',
    heading: 'Memory free',
    isNumber: true,
    titleOf: ({ memoryBytes, sale }) => `${sale === undefined ? '' : `${sale.memory[2]} of `}${memoryBytes} bytes`,
    show: ({ memoryBytes, sale }) =>
      sale === undefined ? (
        formatBytes(memoryBytes)
      ) : (
        <ForSale sale={sale}>
          <Changing value={sale.memory[2]}>{formatBytesOf(sale.memory[2], sale.memory[0])}</Changing>
        </ForSale>
      ),
  },
  { name: 'gpus', heading: 'GPUs free', show: (node) => <GpuFree node={node} /> },
  { name: 'pods', heading: 'Pods', isNumber: true, show: ({ pods }) => <Changing value={pods}>{formatInteger(pods)}</Changing> },
  { name: 'heartbeat', heading: 'Heartbeat', isNumber: true, show: (node) => <Heartbeat node={node} /> },
];

/** What is free on a node that cannot be sold is shown, but does not shine. */
function ForSale({ sale, children }: { readonly sale: NodeSale | undefined; readonly children: ReactNode }) {
  if (sale === undefined || sale.state === 'sellable') return children;
  return (
    <span className="dim" title={sale.state === 'unknown' ? 'when last known' : `held back: ${sale.why.map(reasonWords).join(', ')}`}>
      {children}
    </span>
  );
}

interface FreeOfProps {
  readonly use: AmountTuple | undefined;
  readonly text: (amount: number) => string;
  /** While the inventory says nothing. */
  readonly whole: string;
}

function FreeOf({ use, text, whole }: FreeOfProps) {
  return use === undefined ? whole : <Changing value={use[2]}>{`${text(use[2])} of ${text(use[0])}`}</Changing>;
}

function GpuFree({ node: { gpus, sale } }: { readonly node: NodeRow }) {
  if (sale === undefined) return <GpuWords gpus={gpus} />;
  if (sale.gpu === undefined) return <span className="dim">–</span>;
  const models = Object.keys(sale.models).join(', ');
  return (
    <span title={models}>
      <ForSale sale={sale}>
        <Changing value={sale.gpu[2]}>{`${sale.gpu[2]} of ${sale.gpu[0]}`}</Changing>
      </ForSale>{' '}
      <span className="dim">{models}</span>
    </span>
  );
}

function GpuWords({ gpus }: { readonly gpus: NodeRow['gpus'] }) {
  const words = Object.entries(gpus).map(([model, count]) => `${formatInteger(count)} × ${model}`);
  return words.length === 0 ? <span className="dim">–</span> : <span title={words.join(', ')}>{words.join(', ')}</span>;
}

/** Whether the API server hears of the node in time, or since when it does not. */
export function Heartbeat({ node: { isReady, silentSince } }: { readonly node: NodeRow }) {
  if (silentSince === undefined) return <span className="dim">{isReady ? 'in time' : 'not known'}</span>;
  return (
    <span>
      missing since <TimeAgo at={silentSince} />
    </span>
  );
}
