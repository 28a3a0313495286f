import type { ConsoleSnapshot } from '../../console-source.ts';
import type { OverviewCluster } from '../../topics/overview-topic.ts';
import { countOf, formatBytesOf, formatCores, formatInteger } from '../model/amounts.ts';
import { nodeShares, podShares } from '../model/cluster-shares.ts';
import { Changing } from '../parts/changing.tsx';
import { Facts } from '../parts/facts.tsx';
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
  const { gpuModels, usableCpuMillis, cpuMillis, usableMemoryBytes, memoryBytes } = summary;
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
