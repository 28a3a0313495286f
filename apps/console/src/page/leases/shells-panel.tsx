import type { TenantShellJson } from '@quartermaster/api/cluster';
import { momentOf } from '../api/api-words.ts';
import { useShells } from '../lease-model/use-leases.ts';
import { useNow } from '../live/use-live.ts';
import { countOf } from '../model/amounts.ts';
import { formatDuration } from '../model/relative-time.ts';
import { shortId } from '../model/short-id.ts';
import { Panel } from '../parts/panel.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import type { PanelOfLease } from './lease-panels.tsx';

/** Shells that the tenant opened in it, the newest first; nothing where there were none. */
export function ShellsPanel({ lease, isLastKnown }: PanelOfLease) {
  const { order = {} } = lease;
  const { data, problem } = useShells(order);
  const { shells = [], total } = data ?? {};
  if (shells.length === 0) return null;
  const all = Number(total ?? shells.length);
  const aside = all > shells.length ? `the last ${shells.length} of ${countOf(all, 'shell')}` : countOf(all, 'shell');
  return (
    <Panel title="Shells" aside={aside} isLastKnown={isLastKnown || problem !== undefined}>
      <PlainTable headings={['Time', 'Service', 'Pod', 'From', 'Proof', 'Lasted', 'Outcome']} layout="lease-table shell-table">
        {shells.map((shell) => (
          <ShellRow key={shell.name} shell={shell} />
        ))}
      </PlainTable>
    </Panel>
  );
}

function ShellRow({ shell }: { readonly shell: TenantShellJson }) {
  const { service, pod, address, proof, fingerprint = '', replica = '', outcome = '' } = shell;
  const now = useNow();
  const [opened, closed] = [momentOf(shell.openedAt), momentOf(shell.closedAt)];
  const isOpen = closed === undefined && outcome === '';
  const until = isOpen ? now : closed;
  return (
    <tr>
      <th scope="row">{opened !== undefined && <TimeAgo at={opened} />}</th>
      <td>{service}</td>
      <td className="mono">{pod}</td>
      <td className="mono">{address}</td>
      <td title={fingerprint}>
        {proof} <span className="dim mono">{shortId(fingerprint)}</span>
      </td>
      <td>
        {opened === undefined || until === undefined ? <span className="dim">unknown</span> : formatDuration(Math.max(until - opened, 0))}
      </td>
      <td title={replica === '' ? undefined : `Served by ${replica}`}>{isOpen ? 'open' : outcome}</td>
    </tr>
  );
}
