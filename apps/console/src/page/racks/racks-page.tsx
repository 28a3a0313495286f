import { problemText } from '../api/api-error.ts';
import { clusterKind } from '../api/object-kind.ts';
import { useFeedFreshness } from '../api/use-feed.ts';
import { countOf } from '../model/amounts.ts';

import { useNamesOf } from '../objects/names-of.ts';
import { Legend } from '../parts/plots/legend.tsx';
import { FilterField } from '../parts/table/filter-field.tsx';
import { NoMatch } from '../parts/table/no-match.tsx';
import { useQuery } from '../parts/table/use-query.ts';
import { Ghosts } from '../parts/waiting.tsx';
import { RackDrawing } from './rack-drawing.tsx';
import { useRacks } from './use-racks.ts';

const fills = {
  allocated: 'in use',
  reserved: 'claimed',
  good: 'ready',
  held: 'being deleted',
  failed: 'failed',
  unknown: 'unknown',
};

/** Racks from the front, by the places that hosts say they have. */
export function RacksPage() {
  const [rack, setRack] = useQuery('rack');
  const { racks, problem, more, isReadingMore } = useRacks((rack ?? '').trim());
  const clusters = useNamesOf(clusterKind);
  const isStale = useFeedFreshness().kind === 'stale';
  return (
    <>
      <header className="page-head">
        <h1>Racks</h1>
        {racks !== undefined && (
          <p className="dim" data-testid="rack-count">
            {more === undefined ? countOf(racks.length, 'rack') : `the first ${racks.length}`}
          </p>
        )}
      </header>
      <FilterField label="Rack" hint="full name of a rack" value={rack ?? ''} onChange={setRack} />
      <Legend fills={fills} layout="rack-legend" />
      {problem !== null && racks === undefined && (
        <p className="stale-notice" role="alert">
          {problemText(problem)}
        </p>
      )}
      {racks === undefined && problem === null && <Ghosts>Loading the racks …</Ghosts>}
      {racks?.length === 0 && rack === null && (
        <div className="empty">
          <p>No host has a rack. A source reports it, or you set it in the form of a host.</p>
        </div>
      )}
      {racks?.length === 0 && rack !== null && (
        <NoMatch plural="racks" onClear={() => setRack(null)}>
          No host is in the rack <code>{rack}</code>.
        </NoMatch>
      )}
      <div className="racks" data-stale={isStale ? 'true' : undefined}>
        {racks?.map((elevation) => (
          <RackDrawing key={elevation.rack} elevation={elevation} clusters={clusters} />
        ))}
      </div>
      {more !== undefined && (
        <p>
          <button type="button" className="quiet-button" disabled={isReadingMore} onClick={more}>
            More racks
          </button>
        </p>
      )}
    </>
  );
}
