import type { AmountView, CapacityLine, NodeDetail } from '@quartermaster/api/inventory-views';
import type { ReactNode } from 'react';
import { formatBytes, formatCores } from '../model/amounts.ts';
import { amountText, exactText } from '../model/capacity-words.ts';
import { Panel } from '../parts/panel.tsx';
import { BarNote } from '../parts/plots/bar.tsx';
import { CapacityBar } from '../parts/plots/capacity-bar.tsx';
import { Legend } from '../parts/plots/legend.tsx';
import { useSession } from '../session/session.ts';

/** What the node has of each resource, how it divides, and what is really used. */
export function NodeAmounts({ detail }: { readonly detail: NodeDetail }) {
  const { hasClusterService } = useSession();
  return (
    <Panel title="Resources" source="cluster" aside={<Legend />}>
      {hasClusterService && (
        <p className="field-hint">As the inventory counts: what is reserved here stands below, and is not taken off.</p>
      )}
      {linesOf(detail).map((line) => (
        <CapacityBar key={line.name} line={line} isLinked={false} note={<Notes detail={detail} line={line} />} />
      ))}
    </Panel>
  );
}

/** GPUs are there by model, and that reasons are about this one node goes without saying. */
const linesOf = ({ lines }: NodeDetail): readonly CapacityLine[] =>
  lines
    .filter(({ kind, name }) => kind !== 'resource' || name !== 'gpu')
    .map((line) => ({ ...line, why: line.why.map((each) => ({ ...each, nodes: 0 })) }));

interface NotesProps {
  readonly detail: NodeDetail;
  readonly line: CapacityLine;
}

function Notes({ detail, line: { name, unit } }: NotesProps) {
  const amounts = amountsOf(detail, name);
  const allocated = amounts.reduce((sum, each) => sum + each.allocated, 0);
  const overcommitted = amounts.reduce((sum, each) => sum + each.overcommitted, 0);
  return (
    <>
      {detail.state === 'unknown' && allocated > 0 && <span>{amountText(unit, allocated)} allocated when last known</span>}
      {overcommitted > 0 && (
        <BarNote tone="failed" title={exactText(unit, overcommitted)}>
          {amountText(unit, overcommitted)} more promised than there is
        </BarNote>
      )}
      {usedOf(detail, name)}
    </>
  );
}

function amountsOf({ cpu, memory, disk, models, extended }: NodeDetail, name: string): readonly AmountView[] {
  const resources = Object.entries({ cpu, memory, disk }).map(([resource, amount]) => ({ name: resource, amount }));
  return [...resources, ...models, ...extended].filter((each) => each.name === name).map(({ amount }) => amount);
}

/** Figures that moved less are not sent again: how old they are says nothing. */
const within = 'to within 1 % of the node';

/** What is really used. Of a silent node that is as old as everything else about it, and not said. */
function usedOf({ used, ram, state }: NodeDetail, name: string): ReactNode {
  if (state === 'unknown') return null;
  return (
    <>
      {name === 'memory' && ram > 0 && <span title={exactText('bytes', ram)}>{formatBytes(ram)} in memory-backed volumes</span>}
      {used !== undefined && name === 'cpu' && <span title={within}>{formatCores(used.cpuMillis)} in use</span>}
      {used !== undefined && name === 'memory' && <span title={within}>{formatBytes(used.memoryBytes)} in use</span>}
    </>
  );
}
