import { nodeTopic } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { clusterKind } from '../api/object-kind.ts';
import { useTopic } from '../live/use-topic.ts';
import { nodeHref, objectHref } from '../model/addresses.ts';
import { ObjectName } from '../objects/object-name.tsx';
import { Dot } from '../parts/state-word.tsx';
import { useSession } from '../session/use-session.ts';
import { type Host, rackHref } from './host.ts';
import { hostState } from './host-state.ts';
import { isSameMachine } from './same-machine.ts';

/** Where the host stands in everything: rack → host → cluster → node. A missing step says why it is missing. */
export function HostChain({ host }: { readonly host: Host }) {
  const { isStaff } = useSession();
  const cluster = host.status?.cluster ?? '';
  const rack = host.spec?.rack ?? '';
  return (
    <nav aria-label="Chain" className="chain-steps">
      {isStaff && (
        <>
          {rack === '' ? <span className="dim">no rack known</span> : <Link href={rackHref(rack)}>{rack}</Link>}
          <span aria-hidden="true">→</span>
        </>
      )}
      <span className="chain-step">
        <Dot tone={hostState(host).tone} />
        {nameOf(host)}
      </span>
      <span aria-hidden="true">→</span>
      {cluster === '' ? (
        <span className="dim">not part of a cluster yet</span>
      ) : (
        <ObjectName kind={clusterKind} id={cluster} href={objectHref('clusters', cluster)} />
      )}
      {isStaff && <HostNode host={host} />}
    </nav>
  );
}

function HostNode({ host }: { readonly host: Host }) {
  const called = host.metadata.labels?.['quartermaster.dev/node'] ?? '';
  const name = called === '' ? host.metadata.name : called;
  return (
    <>
      <span aria-hidden="true">→</span>
      {name === '' ? <span className="dim">no node known</span> : <NodeStep host={host} name={name} />}
    </>
  );
}

function NodeStep({ host, name }: { readonly host: Host; readonly name: string }) {
  const { news, isCurrent } = useTopic(nodeTopic, { name });
  const detail = isCurrent ? news?.head.detail : undefined;
  if (detail === undefined || !isSameMachine(host, detail)) {
    return <span className="dim">not a node of the cluster that is watched here</span>;
  }
  return <Link href={nodeHref(name)}>node {name}</Link>;
}
