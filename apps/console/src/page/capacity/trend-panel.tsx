import { trendTopic } from '@quartermaster/api/inventory-views';
import { useMemo } from 'react';
import { useTopic } from '../live/use-topic.ts';
import { type TrendName, trendSeries } from '../model/trend-series.ts';
import { Panel } from '../parts/panel.tsx';
import { TrendPlot } from '../parts/plots/trend-plot.tsx';
import { useSession } from '../session/session.ts';

const plots: readonly { readonly name: TrendName; readonly title: string; readonly unit: 'devices' | 'millicores' | 'bytes' }[] = [
  { name: 'gpu', title: 'GPUs', unit: 'devices' },
  { name: 'cpu', title: 'CPU cores', unit: 'millicores' },
  { name: 'memory', title: 'Memory', unit: 'bytes' },
];

/** How it came to be like this: the last hour, gaps as gaps. */
export function TrendPanel({ hasGpus }: { readonly hasGpus: boolean }) {
  const { hasClusterService } = useSession();
  const { news } = useTopic(trendTopic, null);
  const samples = news?.rows;
  const shown = useMemo(
    () => plots.filter(({ name }) => hasGpus || name !== 'gpu').map((plot) => ({ ...plot, series: trendSeries(samples ?? [], plot.name) })),
    [samples, hasGpus],
  );
  return (
    <Panel
      title="Last hour"
      source="cluster"
      aside={hasClusterService ? 'as the inventory counts: what is reserved is sellable here' : undefined}
    >
      <div className="plots">
        {shown.map(({ name, title, unit, series }) => (
          <TrendPlot key={name} title={title} unit={unit} series={series} />
        ))}
      </div>
    </Panel>
  );
}
