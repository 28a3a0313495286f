import { Link } from 'wouter';
import type { ConsoleNode, ConsolePod } from '../../console-source.ts';
import { nodesTopic } from '../../topics/nodes-topic.ts';
import { podPageSize, podsTopic } from '../../topics/pods-topic.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { useTopic } from '../live/use-topic.ts';
import { nodesHref, quoted } from '../model/addresses.ts';
import { formatBytes, formatCores, formatInteger } from '../model/amounts.ts';
import { nodeTone } from '../model/node-state.ts';
import { Changing } from '../parts/changing.tsx';
import { CopyLine } from '../parts/copy-line.tsx';
import { HeldNote } from '../parts/held-note.tsx';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { PodTable, useHeldPods } from '../pods/pod-table.tsx';
import { GpuWords, Heartbeat } from './node-columns.tsx';

const noPods: readonly ConsolePod[] = [];

/** One node: its state with the reason, what it has, and its pods. */
export function NodePage({ params }: { readonly params: RouteParams }) {
  const name = params['name'] ?? '';
  const { news, isCurrent } = useTopic(nodesTopic, { name });
  const node = isCurrent ? news?.rows[0] : undefined;
  return (
    <>
      <header className="page-head">
        <nav aria-label="Chain" className="chain">
          {node?.rack === undefined ? (
            <span className="dim">no rack known</span>
          ) : (
            <Link href={nodesHref(`rack:${quoted(node.rack)}`)}>{node.rack}</Link>
          )}
          <span aria-hidden="true">→</span>
        </nav>
        <h1 className="mono">{name}</h1>
        {node !== undefined && <StateWord tone={nodeTone(node)} word={node.state} />}
      </header>
      {!isCurrent || news === null ? <Waiting /> : <NodeBody node={node} name={name} />}
    </>
  );
}

function NodeBody({ node, name }: { readonly node: ConsoleNode | undefined; readonly name: string }) {
  if (node === undefined) {
    return (
      <div className="empty">
        <p>
          The cluster has no node called <code>{name}</code>. It may have been removed; <Link href="/nodes">all nodes</Link>.
        </p>
      </div>
    );
  }
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
            <dd>
              <Heartbeat node={node} />
            </dd>
          </div>
        </dl>
      </Panel>
      <NodePods name={name} />
      <Panel title="Look closer">
        <CopyLine text={`kubectl describe node ${name}`} />
        <CopyLine text={`kubectl get pods --all-namespaces --field-selector spec.nodeName=${name}`} />
      </Panel>
    </>
  );
}

function NodePods({ name }: { readonly name: string }) {
  const { news, isCurrent } = useTopic(podsTopic, { node: name, page: 0, size: podPageSize });
  const held = useHeldPods((isCurrent ? news?.rows : undefined) ?? noPods, name);
  return (
    <Panel title="Its pods" source="cluster" aside={<HeldNote changes={held.changes} onRelease={held.release} />}>
      {held.rows.length === 0 ? (
        <p className="empty-line">{isCurrent ? 'No pod is placed on this node.' : 'Asking which pods are placed here …'}</p>
      ) : (
        <div className="bounded-table">
          <PodTable held={held} scope={name} isOfOneNode />
        </div>
      )}
    </Panel>
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
