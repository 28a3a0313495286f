import type { AmountView, CapacityLine, NodeDetail } from '@quartermaster/api/inventory-views';
import type { ReactNode } from 'react';
import { formatBytes, formatCores } from '../model/amounts.ts';
import { amountText, exactText, partText } from '../model/capacity-words.ts';
import { Bar, BarNote } from '../parts/bar.tsx';
import { Changing } from '../parts/changing.tsx';
import { Legend } from '../parts/legend.tsx';
import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

type Unit = CapacityLine['unit'];

/** What the node has of each resource, what of it is promised, and what is really used. */
export function NodeAmounts({ detail }: { readonly detail: NodeDetail }) {
  const { cpu, memory, ram, disk, models, extended, used, state } = detail;
  return (
    <Panel title="Resources" source="cluster" aside={<Legend />}>
      <AmountBar
        name="CPU cores"
        unit="millicores"
        amount={cpu}
        state={state}
        note={used && <Used text={formatCores(used.cpuMillis)} at={used.observedAt} />}
      />
      <AmountBar
        name="Memory"
        unit="bytes"
        amount={memory}
        state={state}
        note={
          <>
            {ram > 0 && <span title={exactText('bytes', ram)}>{formatBytes(ram)} in memory-backed volumes</span>}
            {used !== undefined && <Used text={formatBytes(used.memoryBytes)} at={used.observedAt} />}
          </>
        }
      />
      <AmountBar name="Disk" unit="bytes" amount={disk} state={state} />
      {models.map(({ name, amount }) => (
        <AmountBar key={name} name={name} unit="devices" amount={amount} state={state} />
      ))}
      {extended
        .filter(({ amount }) => amount.capacity > 0)
        .map(({ name, amount }) => (
          <AmountBar key={name} name={name} unit={name.startsWith('hugepages-') ? 'bytes' : 'devices'} amount={amount} state={state} />
        ))}
    </Panel>
  );
}

// what can be done with the node -> what is said of what nobody holds of it
const freeWords: Readonly<Record<NodeDetail['state'], string>> = {
  sellable: 'free',
  'held-back': 'free, held back',
  unknown: 'free when last known',
};

interface AmountBarProps {
  readonly name: string;
  readonly unit: Unit;
  readonly amount: AmountView;
  readonly state: NodeDetail['state'];
  readonly note?: ReactNode | undefined;
}

function AmountBar({ name, unit, amount, state, note }: AmountBarProps) {
  const { capacity, allocated, available, overcommitted } = amount;
  const used = Math.min(allocated - overcommitted, capacity);
  const free = Math.min(available, capacity - used);
  const kept = Math.max(capacity - used - free, 0);
  const tone = state === 'sellable' ? 'good' : state === 'unknown' ? 'unknown' : 'held';
  const words = `${partText(unit, free, capacity)} ${freeWords[state]}`;
  return (
    <div className="share-row capacity-row">
      <h3>{name}</h3>
      <Bar
        total={capacity}
        parts={{
          used: { tone: 'allocated', amount: used, title: exactText(unit, used) },
          free: { tone, amount: free, title: exactText(unit, free) },
          kept: { tone: 'held', amount: kept, title: exactText(unit, kept) },
        }}
      />
      <div className="share-words">
        <strong title={`${exactText(unit, free)} of ${exactText(unit, capacity)}`}>
          <Changing value={words}>{words}</Changing>
        </strong>
        <BarNote tone="allocated" title={exactText(unit, allocated)}>
          <Changing value={allocated}>{amountText(unit, allocated)}</Changing> allocated
        </BarNote>
        {kept > 0 && (
          <BarNote tone="held" title={exactText(unit, kept)}>
            {amountText(unit, kept)} {unit === 'devices' ? 'not offered' : 'reserved by the node'}
          </BarNote>
        )}
        {overcommitted > 0 && (
          <BarNote tone="failed" title={exactText(unit, overcommitted)}>
            {amountText(unit, overcommitted)} overcommitted
          </BarNote>
        )}
        {note !== undefined && <span className="dim notes">{note}</span>}
      </div>
    </div>
  );
}

function Used({ text, at }: { readonly text: string; readonly at: number }) {
  return (
    <span>
      {text} in use, <TimeAgo at={at} />
    </span>
  );
}
