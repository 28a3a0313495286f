import type { GpuModel } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import type { Installation } from '../../installation-view.ts';
import { gpuHref, nodesHref, quoted } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { Changing } from '../parts/changing.tsx';
import { PlainTable } from '../parts/plain-table.tsx';

const numbers = ['Nodes', 'Total', 'Usable', 'Not usable'];

interface GpuTableProps {
  readonly gpuModels: readonly GpuModel[];
  readonly kubernetes: Installation['installation']['kubernetes'];
}

/** One row per model: how many there are, how many of them a new pod could get to. */
export function GpuTable({ gpuModels, kubernetes }: GpuTableProps) {
  if (gpuModels.length === 0) {
    const hint = kubernetes === 'given' ? '' : ' The scenario gpu-farm has some: npm start -- --scenario gpu-farm.';
    return <p className="empty-line">No node offers a GPU.{hint}</p>;
  }
  return (
    <PlainTable headings={['Model', ...numbers]} numbers={numbers}>
      {gpuModels.map(({ model, nodes, total, usable }) => (
        <tr key={model}>
          <td>
            <Link href={gpuHref(model)}>{model}</Link>
          </td>
          <td className="number">{formatInteger(nodes)}</td>
          <td className="number">{formatInteger(total)}</td>
          <td className="number">
            <Changing value={usable}>{formatInteger(usable)}</Changing>
          </td>
          <td className="number">
            {total === usable ? (
              <span className="dim">0</span>
            ) : (
              <Link href={nodesHref(`gpu:${quoted(model)} ready:no`)}>{formatInteger(total - usable)}</Link>
            )}
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}
