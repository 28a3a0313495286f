import { leaseHealth } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { leaseKey, leaseNumbers, leasesOnNode, lossWords } from '../lease-model/lease-words.ts';
import { leaseHref, useLeases } from '../lease-model/use-leases.ts';
import { leasesHref, quoted } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { shortId } from '../model/short-id.ts';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { serviceProblem, useClusterAccess } from '../upstreams/use-cluster-service.ts';

const pageSize = 200;

/** The leases that the loss of the node would affect. Nothing where the console has no cluster service. */
export function NodeLeases({ name }: { readonly name: string }) {
  return useClusterAccess().isShown ? <Leases name={name} /> : null;
}

function Leases({ name }: { readonly name: string }) {
  const { data, isCurrent, problem } = useLeases({ node: name, pageSize });
  const hit = leasesOnNode((isCurrent ? data?.leases : undefined) ?? [], name);
  const isMore = (data?.nextPageToken ?? '') !== '';
  return (
    <Panel
      title="Leases"
      aside={hit.length === 0 ? undefined : `Losing this node affects ${isMore ? 'more than ' : ''}${lossWords(hit)}`}
      isLastKnown={(problem !== undefined && data !== undefined) || (data?.stale?.length ?? 0) > 0}
    >
      {problem !== undefined && <p className="empty-line">{serviceProblem(problem)}</p>}
      {hit.length === 0 && problem === undefined && (
        <p className="empty-line">{isCurrent ? 'No lease has a pod on this node: losing it affects no tenant.' : 'Loading the leases …'}</p>
      )}
      {hit.length > 0 && (
        <PlainTable
          headings={['Lease', 'Tenant', 'Health', 'Services here', 'Pods here', 'GPUs here']}
          numbers={['Pods here', 'GPUs here']}
          layout="lease-table node-lease-table"
        >
          {hit.map(({ lease, services, pods, gpus }) => {
            const { order = {}, health } = lease;
            const owner = order.owner ?? '';
            return (
              <tr key={leaseKey(lease)}>
                <th scope="row" className="mono">
                  <Link href={leaseHref(order)}>{leaseNumbers(order)}</Link>
                </th>
                <td title={owner}>
                  <Link href={`${leasesHref}?q=${encodeURIComponent(`tenant:${quoted(owner)}`)}`}>{shortId(owner)}</Link>
                </td>
                <td>
                  <StateWord {...leaseHealth(health)} />
                </td>
                <td>{services.join(', ')}</td>
                <td className="number">{formatInteger(pods)}</td>
                <td className="number">{formatInteger(gpus)}</td>
              </tr>
            );
          })}
        </PlainTable>
      )}
    </Panel>
  );
}
