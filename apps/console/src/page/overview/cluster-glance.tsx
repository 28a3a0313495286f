import type { ClusterSummary } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import type { Installation } from '../../installation-view.ts';
import { formatBytesOf, formatCores, formatInteger } from '../model/amounts.ts';
import { nodeShares } from '../model/cluster-shares.ts';
import { Changing } from '../parts/changing.tsx';
import { Facts } from '../parts/facts.tsx';
import { ShareBar } from '../parts/share-bar.tsx';

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
      />
      {nodeCount > 0 && <Amounts summary={summary} />}
    </>
  );
}

function Amounts({ summary }: { readonly summary: ClusterSummary }) {
  const { gpuModels, usableCpuMillis, cpuMillis, usableMemoryBytes, memoryBytes, podCount } = summary;
  const gpuCount = sum(gpuModels.map(({ total }) => total));
  const usableGpus = sum(gpuModels.map(({ usable }) => usable));
  return (
    <Facts
      layout="amounts"
      facts={[
        ['Usable GPUs', exactly(`${formatInteger(usableGpus)} of ${formatInteger(gpuCount)}`, `${usableGpus} of ${gpuCount}`)],
        [
          'Usable CPU cores',
          exactly(`${formatCores(usableCpuMillis)} of ${formatCores(cpuMillis)}`, `${usableCpuMillis} of ${cpuMillis} millicores`),
        ],
        ['Usable memory', exactly(formatBytesOf(usableMemoryBytes, memoryBytes), `${usableMemoryBytes} of ${memoryBytes} bytes`)],
        [
          'Pods on nodes',
          <Link key="pods" href="/pods">
            <Changing value={podCount}>{formatInteger(podCount)}</Changing>
          </Link>,
        ],
      ]}
    />
  );
}

const exactly = (text: string, exact: string) => (
  <span title={exact}>
    <Changing value={text}>{text}</Changing>
  </span>
);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
