import type { ReactNode } from 'react';
import type { CapacityLine, NodeDetail } from '../../inventory-source.ts';
import { formatBytes, formatCores } from '../model/amounts.ts';
import { amountText, exactText } from '../model/capacity-words.ts';
import { type NodeAmount, nodeAmounts, nodeLine } from '../model/node-lines.ts';
import { BarNote } from '../parts/bar.tsx';
import { CapacityBar } from '../parts/capacity-bar.tsx';
import { Legend } from '../parts/legend.tsx';
import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

/** What the node has of each resource, how it divides, and what is really used. */
export function NodeAmounts({ detail }: { readonly detail: NodeDetail }) {
  return (
    <Panel title="Resources" source="cluster" aside={<Legend />}>
      {nodeAmounts(detail).map((amount) => (
        <CapacityBar
          key={amount.name}
          line={nodeLine(detail, amount)}
          isLinked={false}
          note={<Notes detail={detail} amount={amount} used={usedOf(detail, amount.name)} />}
        />
      ))}
    </Panel>
  );
}

/** What is really used. Of a silent node that is as old as everything else about it, and not said. */
function usedOf({ used, ram, state }: NodeDetail, name: string): ReactNode {
  if (state === 'unknown') return null;
  return (
    <>
      {name === 'memory' && ram > 0 && <span title={exactText('bytes', ram)}>{formatBytes(ram)} in memory-backed volumes</span>}
      {used !== undefined && name === 'cpu' && <Used text={formatCores(used.cpuMillis)} at={used.observedAt} />}
      {used !== undefined && name === 'memory' && <Used text={formatBytes(used.memoryBytes)} at={used.observedAt} />}
    </>
  );
}

interface NotesProps {
  readonly detail: NodeDetail;
  readonly amount: NodeAmount;
  readonly used: ReactNode;
}

function Notes({ detail: { state }, amount: { unit, amount }, used }: NotesProps) {
  return (
    <>
      {state === 'unknown' && amount.allocated > 0 && <span>{amountText(unit, amount.allocated)} allocated when last known</span>}
      <Overcommitted unit={unit} amount={amount.overcommitted} />
      {used}
    </>
  );
}

function Overcommitted({ unit, amount }: { readonly unit: CapacityLine['unit']; readonly amount: number }) {
  if (amount === 0) return null;
  return (
    <BarNote tone="failed" title={exactText(unit, amount)}>
      {amountText(unit, amount)} more promised than there is
    </BarNote>
  );
}

function Used({ text, at }: { readonly text: string; readonly at: number }) {
  return (
    <span>
      {text} in use, <TimeAgo at={at} />
    </span>
  );
}
