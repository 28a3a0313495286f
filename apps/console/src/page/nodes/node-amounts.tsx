import type { AmountView, CapacityLine, NodeDetail } from '@quartermaster/api/inventory-views';
import type { ReactNode } from 'react';
import { formatBytes, formatCores } from '../model/amounts.ts';
import { amountText, exactText, partText } from '../model/capacity-words.ts';
import { Changing } from '../parts/changing.tsx';
import { Legend } from '../parts/legend.tsx';
import { Panel } from '../parts/panel.tsx';
import { Dot } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

type Unit = CapacityLine['unit'];

/** What the node has of each resource, what of it is promised, and what is really used. */
export function NodeAmounts({ detail }: { readonly detail: NodeDetail }) {
  const { cpu, memory, ram, disk, models, extended, used, state } = detail;
  return (
    <Panel title="What it has" source="cluster" aside={<Legend without={['failed']} />}>
      <AmountBar
        name="CPU cores"
        unit="millicores"
        amount={cpu}
        state={state}
        {...(used === undefined ? {} : { note: <Used text={formatCores(used.cpuMillis)} at={used.observedAt} /> })}
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
  readonly note?: ReactNode;
}

function AmountBar({ name, unit, amount, state, note }: AmountBarProps) {
  const { capacity, allocated, available, overcommitted } = amount;
  const used = Math.min(allocated - overcommitted, capacity);
  const free = Math.min(available, capacity - used);
  const kept = Math.max(capacity - used - free, 0);
  const part = (size: number): number => size / Math.max(capacity, 1);
  const freeFill = state === 'sellable' ? 'good' : state === 'unknown' ? 'unknown' : 'held';
  const words = `${partText(unit, free, capacity)} ${freeWords[state]}`;
  return (
    <div className="share-row capacity-row">
      <h3>{name}</h3>
      <div className="share-bar" aria-hidden="true">
        {used > 0 && <span className="fill-allocated" style={{ flexGrow: part(used) }} title={exactText(unit, used)} />}
        {free > 0 && <span className={`fill-${freeFill}`} style={{ flexGrow: part(free) }} title={exactText(unit, free)} />}
        {kept > 0 && <span className="fill-held" style={{ flexGrow: part(kept) }} title={exactText(unit, kept)} />}
      </div>
      <div className="share-words">
        <strong title={`${exactText(unit, free)} of ${exactText(unit, capacity)}`}>
          <Changing value={words}>{words}</Changing>
        </strong>
        <span className="reason" title={exactText(unit, allocated)}>
          <Dot tone="allocated" />
          <span>
            <Changing value={allocated}>{amountText(unit, allocated)}</Changing> allocated
          </span>
        </span>
        {kept > 0 && (
          <span className="reason" title={exactText(unit, kept)}>
            <Dot tone="held" />
            {amountText(unit, kept)} {unit === 'devices' ? 'not offered' : 'kept by the node'}
          </span>
        )}
        {overcommitted > 0 && (
          <span className="reason" title={exactText(unit, overcommitted)}>
            <Dot tone="failed" />
            {amountText(unit, overcommitted)} more promised than there is
          </span>
        )}
        {note !== undefined && <span className="dim notes">{note}</span>}
      </div>
    </div>
  );
}

function Used({ text, at }: { readonly text: string; readonly at: number }) {
  return (
    <span>
      {text} really used, <TimeAgo at={at} />
    </span>
  );
}
