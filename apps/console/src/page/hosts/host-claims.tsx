import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { clusterKind, may, objectHref } from '../api/object-kind.ts';
import { useObject } from '../api/use-object.ts';
import { claimRight } from '../claims/assign-hosts.ts';
import { ClaimButton } from '../claims/claim-button.tsx';
import { claimRefusal } from '../claims/claim-refusal.ts';
import { ReleaseButton } from '../claims/release-button.tsx';
import { isWantedBy, useWaitingSets } from '../claims/waiting-sets.ts';
import { Panel } from '../parts/panel.tsx';
import { useSession } from '../session/session.ts';
import type { OrderedCluster } from '../states/node-sets.ts';
import type { Host } from './host.ts';

/** For a host that no cluster has: which node sets wait for one like it, and the button; or why nobody can claim it. */
export function HostClaims({ host }: { readonly host: Host }) {
  const { rights } = useSession();
  const { sets, note } = useWaitingSets();
  if (!rights.has(claimRight) || (host.status?.cluster ?? '') !== '') return null;
  const refusal = claimRefusal(host);
  if (refusal !== undefined) {
    return (
      <Panel title="Claims" source="fulfillment">
        <p className="empty-line">It cannot be claimed: {refusal}</p>
      </Panel>
    );
  }
  const waiting = sets?.filter((set) => isWantedBy(host, set));
  return (
    <Panel title="Claims" source="fulfillment">
      {waiting === undefined && <p className="empty-line">It is free. {note}</p>}
      {waiting?.length === 0 && (
        <p className="empty-line">
          It is free. {note === undefined ? 'No cluster waits' : 'None of the clusters that were read waits'} for a host of its class.
        </p>
      )}
      {waiting !== undefined && waiting.length > 0 && (
        <>
          <p>It is free. These node sets wait for hosts of its class; the service chooses which of the free hosts they get.</p>
          <ul className="wanted-by">
            {waiting.map(({ cluster, line }) => (
              <li key={`${cluster.id} ${line.name}`}>
                <span>
                  {line.name} of <Link href={objectHref(clusterKind, cluster.id)}>{nameOf(cluster)}</Link>
                </span>
                <ClaimButton cluster={cluster} line={line} />
              </li>
            ))}
          </ul>
        </>
      )}
      {waiting !== undefined && note !== undefined && <p className="dim">{note}</p>}
    </Panel>
  );
}

/** Takes the host from its cluster. */
export function HostRelease({ host }: { readonly host: Host }) {
  const session = useSession();
  const id = host.status?.cluster ?? '';
  const { data } = useObject<OrderedCluster>(clusterKind, id, { isWanted: id !== '' && may(session, 'Get', clusterKind) });
  return data === undefined ? null : <ReleaseButton cluster={data} hosts={[host]} label={`Release from ${nameOf(data)} …`} />;
}
