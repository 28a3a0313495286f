import { type CapacityLine, capacityTopic } from '@quartermaster/api/inventory-views';
import { fitFields } from '../fit/fit-order.ts';
import { FitPanel } from '../fit/fit-panel.tsx';
import { useTopic } from '../live/use-topic.ts';
import { gpuHref, storageHref } from '../model/addresses.ts';
import { countOf } from '../model/amounts.ts';
import { type Reservations, reservedOf } from '../model/reserved.ts';
import { LeftOutObjects } from '../parts/left-out-objects.tsx';
import { Panel } from '../parts/panel.tsx';
import { CapacityBar } from '../parts/plots/capacity-bar.tsx';
import { Legend, reservedFills } from '../parts/plots/legend.tsx';
import { SilentSources } from '../parts/silent-sources.tsx';
import { useQuery, useQueryChange } from '../parts/table/use-query.ts';
import { InventoryWaiting } from '../parts/waiting.tsx';
import { useClusterAccess } from '../upstreams/use-cluster-service.ts';
import { NeedsPanel } from './needs-panel.tsx';
import { PoolsPanel } from './pools-panel.tsx';
import { TrendPanel } from './trend-panel.tsx';
import { useReservationsKnown } from './use-reservations-known.ts';

/** Takes the whole order out of the address. */
const noOrder = Object.fromEntries(['fit', ...fitFields].map((name) => [name, null]));

/** What is left to sell, why it is not more, and what needs a person. */
export function CapacityPage() {
  const { news } = useTopic(capacityTopic, null);
  const [fit] = useQuery('fit');
  const ask = useQueryChange();
  const isAnswered = useClusterAccess().isShown;
  const isAsking = isAnswered && fit !== null;
  const reservations = useReservationsKnown();
  const legend = <Legend fills={reservations.kind === 'none' ? undefined : reservedFills} />;
  return (
    <>
      <header className="page-head">
        <h1>Capacity</h1>
        {news !== undefined && news !== null && <p className="dim">{nodeWords(news.head.nodes)}</p>}
        {isAnswered && (
          <div className="page-actions">
            <button type="button" className="quiet-button" aria-expanded={isAsking} onClick={() => ask(isAsking ? noOrder : { fit: '1' })}>
              Will it fit?
            </button>
          </div>
        )}
      </header>
      {news === undefined || news === null ? (
        <InventoryWaiting isAnswered={news === null} />
      ) : (
        <>
          <SilentSources silent={news.head.stale} />
          <LeftOutObjects leftOut={news.head.leftOut ?? []} />
          {reservations.kind === 'unknown' && reservations.isWaiting !== true && (
            <p className="stale-notice" role="status">
              {`What is reserved is unknown, so that less may be sellable than is shown. ${reservations.why}`}
            </p>
          )}
          {isAsking && <FitPanel />}
          <Panel title="Total" source="cluster" aside={legend}>
            <Bars
              lines={news.rows.filter(({ kind }) => kind === 'resource')}
              reservations={reservations}
              empty="The cluster has no nodes."
            />
          </Panel>
          <NeedsPanel count={news.head.needCount} />
          <TrendPanel hasGpus={news.rows.some(({ kind }) => kind === 'model')} />
          <Panel title="By GPU model" source="cluster">
            <Bars
              lines={news.rows.filter(({ kind }) => kind === 'model')}
              reservations={reservations}
              empty="No node has a GPU."
              hrefOf={gpuHref}
            />
          </Panel>
          <Panel title="By storage class" source="cluster">
            <Bars
              lines={news.rows.filter(({ kind }) => kind === 'class')}
              reservations={reservations}
              empty="The cluster has no storage class. Classes of supported provisioners appear here automatically."
              hrefOf={storageHref}
            />
          </Panel>
          <PoolsPanel reservations={reservations} />
        </>
      )}
    </>
  );
}

interface BarsProps {
  readonly lines: readonly CapacityLine[];
  readonly reservations: Reservations;
  readonly empty: string;
  readonly hrefOf?: ((name: string) => string) | undefined;
}

function Bars({ lines, reservations, empty, hrefOf }: BarsProps) {
  if (lines.length === 0) return <p className="empty-line">{empty}</p>;
  return lines.map((line) => (
    <CapacityBar key={line.name} line={line} reserved={reservedOf(line, reservations)} href={hrefOf?.(line.name)} />
  ));
}

function nodeWords({
  sellable,
  heldBack,
  unknown,
}: {
  readonly sellable: number;
  readonly heldBack: number;
  readonly unknown: number;
}): string {
  const others = [heldBack === 0 ? '' : `${heldBack} held back`, unknown === 0 ? '' : `${unknown} unknown`].filter((text) => text !== '');
  const all = countOf(sellable + heldBack + unknown, 'node');
  return others.length === 0 ? `${all}, all sellable` : `${all}: ${sellable} sellable, ${others.join(', ')}`;
}
