import { capacityTopic } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import type { Installation } from '../../installation-view.ts';
import { useTopic } from '../live/use-topic.ts';
import { gpuHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { listHref } from '../model/capacity-words.ts';
import { totalOf } from '../model/fill.ts';
import { Changing } from '../parts/changing.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';

const numbers = ['Total', 'Allocated', 'Sellable', 'Held back', 'Unknown'];

interface GpuTableProps {
  readonly kubernetes: Installation['installation']['kubernetes'];
}

/** One row per model: how many there are and how they divide, as the capacity has it. */
export function GpuTable({ kubernetes }: GpuTableProps) {
  const { news } = useTopic(capacityTopic, null);
  if (news === undefined || news === null)
    return <p className="empty-line">The inventory has not been read yet, so its GPUs are unknown.</p>;
  const lines = news.rows.filter(({ kind }) => kind === 'model');
  if (lines.length === 0) {
    const hint = kubernetes === 'given' ? '' : ' The scenario gpu-farm has some: npm start -- --scenario gpu-farm.';
    return <p className="empty-line">No node offers a GPU.{hint}</p>;
  }
  return (
    <PlainTable headings={['Model', ...numbers]} numbers={numbers}>
      {lines.map((line) => {
        const { allocated, sellable, heldBack, unknown } = line.division;
        return (
          <tr key={line.name}>
            <td>
              <Link href={gpuHref(line.name)}>{line.name}</Link>
            </td>
            <td className="number">{formatInteger(totalOf(line.division))}</td>
            <Count amount={allocated} href={listHref(line, '')} />
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
