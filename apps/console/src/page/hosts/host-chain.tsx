import { nodeTopic } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { clusterKind } from '../api/object-kind.ts';
import { useTopic } from '../live/use-topic.ts';
import { nodeHref } from '../model/addresses.ts';
import { ObjectName } from '../objects/object-name.tsx';
import { Chain } from '../parts/chain.tsx';
import { Dot } from '../parts/state-word.tsx';
import { useSession } from '../session/session.ts';
import { type Host, rackHref } from './host.ts';
import { hostState } from './host-state.ts';
import { isSameMachine } from './same-machine.ts';

/** Rack → host → cluster → node. */
export function HostChain({ host }: { readonly host: Host }) {
  const { isStaff } = useSession();
  const cluster = host.status?.cluster ?? '';
  const rack = host.spec?.rack ?? '';
  return (
    <Chain
      steps={{
        rack: isStaff && (rack === '' ? <span className="dim">no rack known</span> : <Link href={rackHref(rack)}>{rack}</Link>),
        host: (
          <span className="chain-step">
            <Dot tone={hostState(host).tone} />
            {nameOf(host)}
          </span>
        ),
        cluster: cluster === '' ? <span className="dim">not part of a cluster yet</span> : <ObjectName kind={clusterKind} id={cluster} />,
        node: isStaff && <HostNode host={host} />,
      }}
    />
  );
}

function HostNode({ host }: { readonly host: Host }) {
  const name = host.metadata.labels?.['quartermaster.dev/node'] || host.metadata.name;
  return name === '' ? <span className="dim">no node known</span> : <NodeStep host={host} name={name} />;
}

function NodeStep({ host, name }: { readonly host: Host; readonly name: string }) {
  const { news, isCurrent } = useTopic(nodeTopic, { name });
  const detail = isCurrent ? news?.head.detail : undefined;
  if (detail === undefined || !isSameMachine(host, detail)) {
    return <span className="dim">not a node of the cluster that is watched here</span>;
  }
  return <Link href={nodeHref(name)}>node {name}</Link>;
}
