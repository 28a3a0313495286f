import type { NodeRow } from '@quartermaster/api/inventory-views';
import { clusterState, hostState, nodeState, type StatedObject } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { clusterKind, hostKind, may, objectHref } from '../api/object-kind.ts';
import { useObject } from '../api/use-object.ts';
import { nodeHref, nodesHref, quoted } from '../model/addresses.ts';
import { shortId } from '../model/short-id.ts';
import { Chain, Missing, Step } from '../parts/chain.tsx';
import { useSession } from '../session/session.ts';
import { useInstallation } from '../upstreams/use-installation.ts';
import { type Host, hostHref, rackHref } from './host.ts';

/** A link of the chain: what is there, or why it is not known. */
export type Linked<T> = { readonly found: T } | { readonly found: undefined; readonly why: string };

interface MachineChainProps {
  /** Whose page this is: that step is no link. */
  readonly here: 'host' | 'node';
  readonly host: Linked<Host>;
  readonly node: Linked<NodeRow>;
}

/** Rack → host → cluster → node, the same from both ends, each with its state. */
export function MachineChain({ here, host, node }: MachineChainProps) {
  const session = useSession();
  const { isStaff, isOfFulfillment } = session;
  const rack = host.found?.spec?.rack || node.found?.rack || '';
  const listed = may(session, 'List', hostKind) ? rackHref(rack) : nodesHref(`rack:${quoted(rack)}`);
  return (
    <Chain
      steps={{
        rack: isStaff && (rack === '' ? <Missing>no rack known</Missing> : <Link href={listed}>{rack}</Link>),
        host:
          isOfFulfillment &&
          (host.found === undefined ? (
            <Missing>{host.why}</Missing>
          ) : (
            <Step {...hostState(host.found)} name={nameOf(host.found)} href={here === 'host' ? undefined : hostHref(host.found.id)} />
          )),
        cluster: <ClusterStep id={host.found?.status?.cluster ?? ''} hasNode={node.found !== undefined} />,
        node:
          isStaff &&
          (node.found === undefined ? (
            <Missing>{node.why}</Missing>
          ) : (
            <Step {...nodeState(node.found.sale)} name={node.found.name} href={here === 'node' ? undefined : nodeHref(node.found.name)} />
          )),
      }}
    />
  );
}

/** The cluster that has the host; a node that no cluster of ours has is in the one that is watched. */
function ClusterStep({ id, hasNode }: { readonly id: string; readonly hasNode: boolean }) {
  const session = useSession();
  const { server, kubernetes } = useInstallation()?.installation ?? {};
  const { data } = useObject<StatedObject & ApiObject>(clusterKind, id, { isWanted: id !== '' && may(session, 'Get', clusterKind) });
  if (id !== '') {
    const { tone, word } = data === undefined ? { tone: 'unknown' as const, word: '' } : clusterState(data);
    return <Step tone={tone} word={word} name={data === undefined ? shortId(id) : nameOf(data)} href={objectHref(clusterKind, id)} />;
  }
  if (!hasNode) return <Missing>not part of a cluster yet</Missing>;
  return (
    <Link href="/overview" title={server}>
      {kubernetes === undefined || kubernetes === 'given' ? 'this cluster' : `${kubernetes} cluster`}
    </Link>
  );
}
