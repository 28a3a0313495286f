import { storageTopic } from '@quartermaster/api/inventory-views';
import { useEffect } from 'react';
import { useReservationsKnown } from '../capacity/use-reservations-known.ts';
import { useFreshness } from '../live/use-live.ts';
import { useTopic } from '../live/use-topic.ts';
import { formatInteger } from '../model/amounts.ts';
import { reservedOf } from '../model/reserved.ts';
import { Legend, reservedFills } from '../parts/plots/legend.tsx';
import { useQuery } from '../parts/table/use-query.ts';
import { InventoryWaiting } from '../parts/waiting.tsx';
import { ClassCard, cardId } from './class-card.tsx';

/** Every storage class: what is left of it, or why it is not offered. */
export function StoragePage() {
  const { news } = useTopic(storageTopic, null);
  const isStale = useFreshness().kind === 'stale';
  const [chosen] = useQuery('class');
  const reservations = useReservationsKnown();
  const isThere = news !== undefined && news !== null;
  useEffect(() => {
    if (isThere && chosen !== null) document.getElementById(cardId(chosen))?.scrollIntoView({ block: 'center' });
  }, [isThere, chosen]);

  if (!isThere) {
    return (
      <>
        <header className="page-head">
          <h1>Storage</h1>
        </header>
        <InventoryWaiting isAnswered={news === null} />
      </>
    );
  }
  const offered = news.rows.filter(({ refusal }) => refusal === undefined).length;
  // What is offered first; a class that nobody can use is read last.
  const cards = news.rows.toSorted(
    (a, b) => Number(a.refusal !== undefined) - Number(b.refusal !== undefined) || (a.name < b.name ? -1 : 1),
  );
  return (
    <>
      <header className="page-head">
        <h1>Storage</h1>
        <p className="dim">{`${cards.length === 1 ? '1 class' : `${formatInteger(cards.length)} classes`}, ${formatInteger(offered)} offered`}</p>
      </header>
      <Legend fills={reservations.kind === 'none' ? undefined : reservedFills} />
      {cards.length === 0 ? (
        <p className="empty-line">
          The cluster has no StorageClass. Install a provisioner (Rook-Ceph, Longhorn, local-path or a CSI driver that publishes its
          capacity) and its classes appear here automatically.
        </p>
      ) : (
        <div className="cards" data-stale={isStale ? 'true' : undefined}>
          {cards.map((card) => (
            <ClassCard
              key={card.name}
              card={card}
              reserved={reservedOf({ kind: 'class', name: card.name }, reservations)}
              isChosen={card.name === chosen}
            />
          ))}
        </div>
      )}
    </>
  );
}
