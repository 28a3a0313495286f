import type { CapacityLine, NodeRow, NodeSale } from '@quartermaster/api/inventory-views';
import { fillWord, nodeState, reasonWords } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { nodeHref } from '../model/addresses.ts';
import { formatBytes, formatCores, formatInteger } from '../model/amounts.ts';
import { exactText } from '../model/capacity-words.ts';
import { divisionOf, partsOf } from '../model/fill.ts';
import type { HeatResource } from '../model/heat.ts';
import type { NodeColumn } from '../model/node-order.ts';
import { roundedParts } from '../model/rounded-parts.ts';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import type { GridColumn } from '../parts/table/grid.tsx';
import { ForHowLong } from '../parts/time-ago.tsx';

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
    titleOf: ({ state }) => `Kubernetes: ${state}`,
    show: ({ sale }) => {
      const state = nodeState(sale);
      return (
        <Changing value={state.word}>
          <StateWord {...state} />
        </Changing>
      );
    },
  },
  { name: 'rack', heading: 'Rack', show: ({ rack }) => rack ?? <span className="dim">–</span> },
  {
    name: 'cpu',
    heading: 'Cores sellable',
    isNumber: true,
    titleOf: ({ cpuMillis, sale }) => divisionWords(sale, 'cpu', 'millicores') ?? `${cpuMillis} millicores`,
    show: ({ cpuMillis, sale }) => <Sellable sale={sale} resource="cpu" unit="millicores" whole={formatCores(cpuMillis)} />,
  },
  {
    name: 'memory',
    heading: 'Memory sellable',
    isNumber: true,
    titleOf: ({ memoryBytes, sale }) => divisionWords(sale, 'memory', 'bytes') ?? `${memoryBytes} bytes`,
    show: ({ memoryBytes, sale }) => <Sellable sale={sale} resource="memory" unit="bytes" whole={formatBytes(memoryBytes)} />,
  },
  {
    name: 'gpus',
    heading: 'GPUs sellable',
    titleOf: ({ gpus, sale }) => [divisionWords(sale, 'gpu', 'devices'), modelsOf(gpus, sale)].filter(Boolean).join(' · '),
    show: ({ gpus, sale }) =>
      sale !== undefined && sale.gpu === undefined ? (
        <span className="dim">–</span>
      ) : (
        <>
          {sale !== undefined && <Sellable sale={sale} resource="gpu" unit="devices" whole="" />}{' '}
          <span className="dim">{modelsOf(gpus, sale)}</span>
        </>
      ),
  },
  { name: 'pods', heading: 'Pods', isNumber: true, show: ({ pods }) => <Changing value={pods}>{formatInteger(pods)}</Changing> },
  { name: 'heartbeat', heading: 'Heartbeat', isNumber: true, show: (node) => <Heartbeat node={node} /> },
];

interface SellableProps {
  readonly sale: NodeSale | undefined;
  readonly resource: HeatResource;
  readonly unit: CapacityLine['unit'];
  /** While the inventory says nothing. */
  readonly whole: string;
}

/** What can be sold of what there is. Where that is nothing because of the node as a whole, it does not shine. */
function Sellable({ sale, resource, unit, whole }: SellableProps) {
  const division = sale && divisionOf(sale, resource);
  if (sale === undefined || division === undefined) return whole;
  const { allocated, sellable, heldBack, unknown } = division;
  const { number, text } = roundedParts(unit, [allocated, sellable, heldBack, unknown]);
  const words = `${sale.state === 'unknown' ? '?' : number(1)} of ${text(0, 1, 2, 3)}`;
  return (
    <span className={sale.state === 'sellable' ? undefined : 'dim'}>
      <Changing value={words}>{words}</Changing>
    </span>
  );
}

/** `40 allocated, 16 sellable, 8 held back: cordoned`, exactly; undefined while the inventory says nothing. */
function divisionWords(sale: NodeSale | undefined, resource: HeatResource, unit: CapacityLine['unit']): string | undefined {
  const division = sale && divisionOf(sale, resource);
  if (sale === undefined || division === undefined) return undefined;
  const parts = partsOf(division).map(({ fill, amount }) => `${exactText(unit, amount)} ${fillWord(fill)}`);
  return `${parts.join(', ')}${sale.why.length === 0 ? '' : `: ${sale.why.map(reasonWords).join(', ')}`}`;
}

const modelsOf = (gpus: NodeRow['gpus'], sale: NodeSale | undefined): string =>
  sale === undefined
    ? Object.entries(gpus)
        .map(([model, count]) => `${formatInteger(count)} × ${model}`)
        .join(', ')
    : Object.keys(sale.models).join(', ');

/** Whether the API server hears of the node in time, or for how long it has not. */
export function Heartbeat({ node: { isReady, silentSince } }: { readonly node: NodeRow }) {
  if (silentSince === undefined) return <span className="dim">{isReady ? 'in time' : 'not known'}</span>;
  return (
    <span>
      missing
      <ForHowLong since={silentSince} />
    </span>
  );
}
