import type { SilentSource } from '@quartermaster/api/inventory-views';
import { Since } from './time-ago.tsx';

/** What the inventory does not hear right now, and since when: its figures are the last known. */
export function SilentSources({ silent }: { readonly silent: readonly SilentSource[] }) {
  if (silent.length === 0) return null;
  return (
    <div className="stale-notice" role="note">
      <p>The inventory does not hear some of what it counts. The figures are the last known.</p>
      <ul>
        {silent.map(({ source, since, reason }) => (
          <li key={source}>
            {source}: silent{' '}
            {since === undefined ? (
              'from the start'
            ) : (
              <>
                for <Since at={since} />
              </>
            )}
            <span className="dim"> ({reason})</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
