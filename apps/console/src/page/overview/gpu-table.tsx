import { capacityTopic } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import type { Installation } from '../../installation-view.ts';
import { useReservationsKnown } from '../capacity/use-reservations-known.ts';
import { useTopic } from '../live/use-topic.ts';
import { gpuHref, reservationsHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { listHref } from '../model/capacity-words.ts';
import { totalOf } from '../model/fill.ts';
import { lessReserved, reservedOf } from '../model/reserved.ts';
import { Changing } from '../parts/changing.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';

interface GpuTableProps {
  readonly kubernetes: Installation['installation']['kubernetes'];
}

/** One row per model: how many there are and how they divide, as the capacity has it. */
export function GpuTable({ kubernetes }: GpuTableProps) {
  const { news } = useTopic(capacityTopic, null);
  const reservations = useReservationsKnown();
  if (news === undefined || news === null)
    return <p className="empty-line">The inventory has not been read yet, so its GPUs are unknown.</p>;
  const isReserved = reservations.kind !== 'none';
  const numbers = ['Total', 'Allocated', ...(isReserved ? ['Reserved'] : []), 'Sellable', 'Held back', 'Unknown'];
  const lines = news.rows.filter(({ kind }) => kind === 'model');
  if (lines.length === 0) {
    const hint = kubernetes === 'given' ? '' : ' The scenario gpu-farm has some: npm start -- --scenario gpu-farm.';
    return <p className="empty-line">No node offers a GPU.{hint}</p>;
  }
  return (
    <PlainTable headings={['Model', ...numbers]} numbers={numbers}>
      {lines.map((line) => {
        const held = reservedOf(line, reservations);
        const { allocated, reserved = 0, sellable, heldBack, unknown } = lessReserved(line.division, held);
        return (
          <tr key={line.name}>
            <td>
              <Link href={gpuHref(line.name)}>{line.name}</Link>
            </td>
            <td className="number">{formatInteger(totalOf(line.division))}</td>
            <Count amount={allocated} href={listHref(line, '')} />
            {isReserved &&
              (held === 'unknown' ? <td className="number dim">unknown</td> : <Count amount={reserved} href={reservationsHref} />)}
            <Count amount={sellable} href={listHref(line, 'sale:sellable')} />
            <Count amount={heldBack} href={listHref(line, 'sale:held-back')} />
            <Count amount={unknown} href={listHref(line, 'sale:unknown')} />
          </tr>
        );
      })}
    </PlainTable>
  );
}

function Count({ amount, href }: { readonly amount: number; readonly href: string }) {
  return (
    <td className="number">
      {amount === 0 ? (
        <span className="dim">0</span>
      ) : (
        <Link href={href}>
          <Changing value={amount}>{formatInteger(amount)}</Changing>
        </Link>
      )}
    </td>
  );
}
