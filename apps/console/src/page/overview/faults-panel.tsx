import { Link } from 'wouter';
import type { SimulatedFaults } from '../../installation-view.ts';
import { nodeHref } from '../model/addresses.ts';
import { countOf } from '../model/amounts.ts';
import { Copy } from '../parts/copy.tsx';
import { Panel } from '../parts/panel.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { ForHowLong } from '../parts/time-ago.tsx';

/** What goes wrong on purpose right now, so that nobody takes it for a real fault. */
export function FaultsPanel({ faults: { active } }: { readonly faults: SimulatedFaults }) {
  return (
    <Panel title="Simulated faults" aside={active.length === 0 ? 'none active' : countOf(active.length, 'active fault')} source="server">
      {active.length === 0 ? (
        <p className="empty-line">
          Nothing goes wrong on purpose. <code>quartermaster simulate fault add</code> begins a fault; what came and went is among the{' '}
          <Link href="/events?kind=faults">events</Link>.
        </p>
      ) : (
        <>
          <p>
            These were added on purpose with <code>quartermaster simulate fault</code>: what follows from them is simulated. What came and
            went is among the <Link href="/events?kind=faults">events</Link>.
          </p>
          <PlainTable layout="fault-table" headings={['Fault', 'Of', 'Active', 'Settings', 'To end it']}>
            {active.map(({ id, kind, node, since, settings }) => (
              <tr key={id}>
                <th scope="row">{kind}</th>
                <td>{node === undefined ? 'API server' : <Link href={nodeHref(node)}>{node}</Link>}</td>
                <td>{since === undefined ? 'now' : <ForHowLong since={since} />}</td>
                <td>
                  {Object.entries(settings)
                    .map(([name, value]) => `${name} ${value}`)
                    .join(', ') || '–'}
                </td>
                <td>
                  <Copy text={`quartermaster simulate fault remove ${id}`} title={`quartermaster simulate fault remove ${id}`}>
                    copy the command
                  </Copy>
                </td>
              </tr>
            ))}
          </PlainTable>
        </>
      )}
    </Panel>
  );
}
