import { Link } from 'wouter';
import type { ConsoleNode, ConsoleSnapshot } from '../../console-source.ts';
import { useLive } from '../live/use-live.ts';
import { formatBytes, formatCores, formatInteger } from '../model/amounts.ts';
import { nodesHref } from '../model/cluster-summary.ts';
import { nodeTone } from '../model/node-state.ts';
import { Changing } from '../parts/changing.tsx';
import { CopyLine } from '../parts/copy-line.tsx';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { WaitingForCluster, WaitingForServer } from '../parts/waiting.tsx';
import { PodList } from '../pods/pod-list.tsx';
import { GpuWords } from './node-row.tsx';

/** One node: its state with the reason, what it has, and what changed on it lately. */
export function NodePage({ name }: { readonly name: string }) {
  const { snapshot } = useLive();
  const cluster = snapshot?.cluster;
  const node = cluster?.nodes.find((each) => each.name === name);
  return (
    <>
      <header className="page-head">
        <nav aria-label="Chain" className="chain">
          {node?.rack === undefined ? (
            <span className="dim">no rack known</span>
          ) : (
            <Link href={nodesHref(`rack:"${node.rack}"`)}>{node.rack}</Link>
          )}
          <span aria-hidden="true">→</span>
        </nav>
        <h1 className="mono">{name}</h1>
        {node !== undefined && <StateWord tone={nodeTone(node)} word={node.state} />}
      </header>
      <NodeBody snapshot={snapshot} node={node} name={name} />
    </>
  );
}

interface NodeBodyProps {
  readonly snapshot: ConsoleSnapshot | undefined;
  readonly node: ConsoleNode | undefined;
  readonly name: string;
}

function NodeBody({ snapshot, node, name }: NodeBodyProps) {
  if (snapshot === undefined) return <WaitingForServer />;
  if (snapshot.cluster === undefined) return <WaitingForCluster />;
  if (node === undefined) {
    return (
      <div className="empty">
        <p>
          The cluster has no node called <code>{name}</code>. It may have been removed; <Link href="/nodes">all nodes</Link>.
        </p>
      </div>
    );
  }
  const pods = snapshot.cluster.recentPods.filter((pod) => pod.node === name);
  return (
    <>
      <Panel title="What it has" source="cluster">
        <dl className="amounts">
          <Fact name="Cores" exact={`${node.cpuMillis} millicores`} text={formatCores(node.cpuMillis)} />
          <Fact name="Memory" exact={`${node.memoryBytes} bytes`} text={formatBytes(node.memoryBytes)} />
          <div>
            <dt>GPUs</dt>
            <dd>
              <GpuWords gpus={node.gpus} />
            </dd>
          </div>
          <Fact name="Pods" exact={`${node.pods} pods`} text={formatInteger(node.pods)} />
          <div>
            <dt>Heartbeat</dt>
            <dd>{node.heartbeatAt === undefined ? 'never' : <TimeAgo at={node.heartbeatAt} />}</dd>
          </div>
        </dl>
      </Panel>
      <Panel title="Pods that changed here lately" source="cluster">
        <PodList pods={pods} empty="No pod of this node is among the recent changes." />
      </Panel>
      <Panel title="Look closer">
        <CopyLine text={`kubectl describe node ${name}`} />
        <CopyLine text={`kubectl get pods --all-namespaces --field-selector spec.nodeName=${name}`} />
      </Panel>
    </>
  );
}

function Fact({ name, text, exact }: { readonly name: string; readonly text: string; readonly exact: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd title={exact}>
        <Changing value={text}>{text}</Changing>
      </dd>
    </div>
  );
}
