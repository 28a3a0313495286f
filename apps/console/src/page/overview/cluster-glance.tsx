import type { ConsoleSnapshot } from '../../console-source.ts';
import type { OverviewCluster } from '../../topics/overview-topic.ts';
import { countOf, formatBytesOf, formatCores, formatInteger } from '../model/amounts.ts';
import { nodeShares, podShares } from '../model/cluster-shares.ts';
import { Changing } from '../parts/changing.tsx';
import { ShareBar } from '../parts/share-bar.tsx';

interface ClusterGlanceProps {
  readonly summary: OverviewCluster;
  readonly kubernetes: ConsoleSnapshot['installation']['kubernetes'];
}

export function ClusterGlance({ summary, kubernetes }: ClusterGlanceProps) {
  const { readyCount, nodeCount, podCount } = summary;
  const noNodes =
    kubernetes === 'given'
      ? 'The cluster answers and has no nodes.'
      : 'The cluster has no nodes yet; npm start -- --scenario small gives it three.';
  return (
    <>
      <ShareBar
        title="Nodes"
        headline={nodeCount === 0 ? 'none' : `${formatInteger(readyCount)} of ${formatInteger(nodeCount)} ready`}
        shares={nodeShares(summary)}
        empty={noNodes}
      />
      <ShareBar
        title="Pods"
        headline={podCount === 0 ? 'none' : countOf(podCount, 'pod')}
        shares={podShares(summary)}
        empty="No pods yet; the last command below starts three."
      />
      {nodeCount > 0 && <Amounts summary={summary} />}
    </>
  );
}

function Amounts({ summary }: { readonly summary: OverviewCluster }) {
  const gpuCount = sum(summary.gpuModels.map(({ total }) => total));
  const usableGpus = sum(summary.gpuModels.map(({ usable }) => usable));
  return (
    <dl className="amounts">
      <Amount
        name="Usable GPUs"
        text={`${formatInteger(usableGpus)} of ${formatInteger(gpuCount)}`}
        exact={`${usableGpus} of ${gpuCount}`}
      />
      <Amount
        name="Usable CPU cores"
        text={`${formatCores(summary.usableCpuMillis)} of ${formatCores(summary.cpuMillis)}`}
        exact={`${summary.usableCpuMillis} of ${summary.cpuMillis} millicores`}
      />
      <Amount
        name="Usable memory"
        text={formatBytesOf(summary.usableMemoryBytes, summary.memoryBytes)}
        exact={`${summary.usableMemoryBytes} of ${summary.memoryBytes} bytes`}
      />
    </dl>
  );
}

function Amount({ name, text, exact }: { readonly name: string; readonly text: string; readonly exact: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd title={exact}>
        <Changing value={text}>{text}</Changing>
      </dd>
    </div>
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
