import { type NodeRow, nodesTopic, nodeTopic } from '@quartermaster/api/inventory-views';
import { nodeState } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { ObjectEvents } from '../events/object-events.tsx';
import type { RouteParams } from '../frame/console-page.ts';
import { MachineChain } from '../hosts/machine-chain.tsx';
import { useHostOfNode } from '../hosts/use-machine.ts';
import { useTopic } from '../live/use-topic.ts';
import { CopyLine } from '../parts/copy.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { Panel } from '../parts/panel.tsx';
import { SilentSources } from '../parts/silent-sources.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { useInstallation } from '../upstreams/use-installation.ts';
import { NodeAmounts } from './node-amounts.tsx';
import { Heartbeat } from './node-columns.tsx';
import { NodeGpus } from './node-gpus.tsx';
import { NodeHardware } from './node-hardware.tsx';
import { NodeLeases } from './node-leases.tsx';
import { NodePods } from './node-pods.tsx';
import { NodeReservations } from './node-reservations.tsx';
import { NodeWhy } from './node-why.tsx';

/** One node: where it is in the chain, whether it can be sold and why not, what it has, and who holds what of it. */
export function NodePage({ params }: { readonly params: RouteParams }) {
  const name = params['name'] ?? '';
  usePageTitle(name, 'Nodes');
  const { news, isCurrent } = useTopic(nodesTopic, { name });
  const node = isCurrent ? news?.rows[0] : undefined;
  return (
    <>
      <header className="page-head">
        <MachineChain
          here="node"
          host={useHostOfNode(name)}
          node={node === undefined ? { found: undefined, why: name } : { found: node }}
        />
        <h1 className="mono">{name}</h1>
        {node !== undefined && <StateWord {...nodeState(node.sale)} />}
        {node !== undefined && (
          <p className="dim">
            heartbeat <Heartbeat node={node} /> · Kubernetes: {node.state}
          </p>
        )}
      </header>
      {!isCurrent || news === null ? <Waiting /> : <NodeBody node={node} name={name} />}
    </>
  );
}

function NodeBody({ node, name }: { readonly node: NodeRow | undefined; readonly name: string }) {
  const isKubernetesRead = useInstallation()?.kubernetes === true;
  const { news, isCurrent } = useTopic(nodeTopic, { name });
  if (node === undefined) {
    return (
      <div className="empty">
        <p>
          The cluster has no node called <code>{name}</code>. It may have been removed; <Link href="/nodes">all nodes</Link>.
        </p>
      </div>
    );
  }
  const detail = isCurrent ? news?.head.detail : undefined;
  return (
    <>
      {detail === undefined ? (
        <Panel title="Inventory" source="cluster">
          <p className="empty-line">{isCurrent ? 'The inventory has no data about this node yet.' : 'Loading the inventory …'}</p>
        </Panel>
      ) : (
        <>
          <SilentSources silent={detail.stale} />
          <NodeWhy detail={detail} />
          <NodeAmounts detail={detail} />
          <NodeGpus detail={detail} />
        </>
      )}
      <NodeLeases name={name} />
      <NodeReservations name={name} />
      {isKubernetesRead && <NodePods name={name} takes={isCurrent ? news?.rows : undefined} />}
      <ObjectEvents of={{ kind: 'Node', name }} />
      {detail !== undefined && <NodeHardware detail={detail} />}
      <Panel title="Command line">
        <CopyLine text={`npx quartermaster describe node ${name}`} />
        <CopyLine text={`kubectl describe node ${name}`} />
        <CopyLine text={`kubectl get pods --all-namespaces --field-selector spec.nodeName=${name}`} />
      </Panel>
    </>
  );
}
