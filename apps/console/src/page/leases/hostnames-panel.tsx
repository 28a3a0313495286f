import { sentenceCase } from '@quartermaster/api/states';
import { hostnameTone } from '../lease-model/lease-words.ts';
import { countOf } from '../model/amounts.ts';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import type { PanelOfLease } from './lease-panels.tsx';
import { TransferButton } from './transfer-button.tsx';

/** Names that it wants, and why it does not have one. */
export function HostnamesPanel({ lease, isLastKnown }: PanelOfLease) {
  const { hostnames = [] } = lease;
  if (hostnames.length === 0) return null;
  return (
    <Panel title="Hostnames" aside={countOf(hostnames.length, 'hostname')} isLastKnown={isLastKnown}>
      <PlainTable headings={['Hostname', 'State', 'Service', 'Port', 'Reason', '']} numbers={['Port']} layout="lease-table hostname-table">
        {hostnames.map((each) => {
          const { hostname = '', service = '', externalPort = 0, state = '', message = '', isStatic = false } = each;
          return (
            <tr key={`${hostname} ${externalPort}`}>
              <th scope="row">
                <code>{hostname}</code>
                {isStatic && <span className="dim"> of this provider’s domain</span>}
              </th>
              <td>
                <StateWord tone={hostnameTone(each)} word={sentenceCase(state || 'unknown')} />
              </td>
              <td>{service}</td>
              <td className="number">{externalPort}</td>
              <td>{message === '' ? <span className="dim">–</span> : message}</td>
              <td>{state === 'held' && !isStatic && <TransferButton lease={lease} hostname={each} />}</td>
            </tr>
          );
        })}
      </PlainTable>
    </Panel>
  );
}
