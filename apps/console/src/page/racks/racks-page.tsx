import { clusterKind } from '../api/object-kind.ts';
import { useFeedFreshness } from '../api/use-feed.ts';
import { problemText } from '../http/problem-text.ts';
import { countOf } from '../model/amounts.ts';
import type { Tone } from '../model/node-state.ts';
import { useNamesOf } from '../objects/names-of.ts';
import { FilterField } from '../parts/filter-field.tsx';
import { useQuery } from '../parts/use-query.ts';
import { RackDrawing } from './rack-drawing.tsx';
import { useRacks } from './use-racks.ts';

const fills: readonly (readonly [Tone, string])[] = [
  ['allocated', 'in use'],
  ['reserved', 'claimed, being prepared'],
  ['good', 'ready'],
  ['held', 'being deleted'],
  ['failed', 'failed'],
  ['unknown', 'not known'],
];

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
      <FilterField label="Rack" hint="one rack, by its whole name" value={rack ?? ''} onChange={setRack} />
      <ul className="legend rack-legend" aria-label="Legend">
        {fills.map(([tone, word]) => (
          <li key={tone}>
            <span className={`legend-fill fill-${tone}`} aria-hidden="true" />
            {word}
          </li>
        ))}
      </ul>
      {problem !== null && racks === undefined && (
        <p className="stale-notice" role="alert">
          {problemText(problem)}
        </p>
      )}
      {racks === undefined && problem === null && (
        <div className="waiting" aria-busy="true">
          <p>Asking for the racks …</p>
          <div className="ghost" />
          <div className="ghost" />
        </div>
      )}
      {racks?.length === 0 && (
        <div className="empty">
          {rack === null ? (
            <p>No host says which rack it stands in. A source does, or the form of a host.</p>
          ) : (
            <>
              <p>
                No host says that it stands in <code>{rack}</code>.
              </p>
              <button type="button" className="quiet-button" onClick={() => setRack(null)}>
                Show all racks
              </button>
            </>
          )}
        </div>
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
