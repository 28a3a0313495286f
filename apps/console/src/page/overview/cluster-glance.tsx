import type { ConsoleSnapshot } from '../../console-source.ts';
import type { ClusterSummary } from '../../topics/cluster-summary.ts';
import { capacityTopic } from '../../topics/inventory-topics.ts';
import { useTopic } from '../live/use-topic.ts';
import { countOf, formatBytes, formatCores, formatInteger } from '../model/amounts.ts';
import { nodeShares, podShares } from '../model/cluster-shares.ts';
import { CapacityBar } from '../parts/capacity-bar.tsx';
import { Facts } from '../parts/facts.tsx';
import { ShareBar } from '../parts/share-bar.tsx';

interface ClusterGlanceProps {
  readonly summary: ClusterSummary;
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
        layout="capacity-row"
      />
      <ShareBar
        title="Pods"
        headline={podCount === 0 ? 'none' : countOf(podCount, 'pod')}
        shares={podShares(summary)}
        empty="No pods yet; the last command below starts three."
        layout="capacity-row"
      />
      {nodeCount > 0 && <Amounts summary={summary} />}
    </>
  );
}

/** What there is, as the capacity has it; while the inventory says nothing, only how much there is. */
function Amounts({ summary }: { readonly summary: ClusterSummary }) {
  const lines = useTopic(capacityTopic, null).news?.rows.filter(({ kind }) => kind === 'resource') ?? [];
  if (lines.length > 0) return lines.map((line) => <CapacityBar key={line.name} line={line} />);
  const { gpuModels, cpuMillis, memoryBytes } = summary;
  const gpuCount = gpuModels.reduce((sum, { total }) => sum + total, 0);
  return (
    <Facts
      layout="amounts"
      facts={[
        ['GPUs in total', formatInteger(gpuCount)],
        ['CPU cores in total', <span title={`${cpuMillis} millicores`}>{formatCores(cpuMillis)}</span>],
        ['Memory in total', <span title={`${memoryBytes} bytes`}>{formatBytes(memoryBytes)}</span>],
      ]}
    />
  );
}
