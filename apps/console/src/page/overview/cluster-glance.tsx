import { type ClusterSummary, capacityTopic } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import type { Installation } from '../../installation-view.ts';
import { useTopic } from '../live/use-topic.ts';
import { formatBytes, formatCores, formatInteger } from '../model/amounts.ts';
import { nodeShares } from '../model/cluster-shares.ts';
import { Changing } from '../parts/changing.tsx';
import { Facts } from '../parts/facts.tsx';
import { CapacityBar } from '../parts/plots/capacity-bar.tsx';
import { ShareBar } from '../parts/plots/share-bar.tsx';

interface ClusterGlanceProps {
  readonly summary: ClusterSummary;
  readonly kubernetes: Installation['installation']['kubernetes'];
}

export function ClusterGlance({ summary, kubernetes }: ClusterGlanceProps) {
  const { readyCount, nodeCount } = summary;
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
      {nodeCount > 0 && <Amounts summary={summary} />}
    </>
  );
}

/** What there is, as the capacity has it; while the inventory says nothing, only how much there is. */
function Amounts({ summary }: { readonly summary: ClusterSummary }) {
  const { gpuModels, cpuMillis, memoryBytes, podCount } = summary;
  const lines = useTopic(capacityTopic, null).news?.rows.filter(({ kind }) => kind === 'resource') ?? [];
  const gpuCount = gpuModels.reduce((sum, { total }) => sum + total, 0);
  const isDivided = lines.length > 0;
  return (
    <>
      {lines.map((line) => (
        <CapacityBar key={line.name} line={line} />
      ))}
      <Facts
        layout="amounts"
        facts={[
          ['GPUs in total', !isDivided && formatInteger(gpuCount)],
          ['CPU cores in total', !isDivided && <span title={`${cpuMillis} millicores`}>{formatCores(cpuMillis)}</span>],
          ['Memory in total', !isDivided && <span title={`${memoryBytes} bytes`}>{formatBytes(memoryBytes)}</span>],
          [
            'Pods on nodes',
            <Link key="pods" href="/pods">
              <Changing value={podCount}>{formatInteger(podCount)}</Changing>
            </Link>,
          ],
        ]}
      />
    </>
  );
}
