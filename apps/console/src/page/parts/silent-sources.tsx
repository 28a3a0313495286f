import type { SilentSource } from '@quartermaster/api/inventory-views';
import { ForHowLong } from './time-ago.tsx';

/** What the inventory does not hear right now, and since when: its figures are the last known. */
export function SilentSources({ silent }: { readonly silent: readonly SilentSource[] }) {
  if (silent.length === 0) return null;
  return (
    <div className="stale-notice" role="note">
      <p>The inventory is not receiving updates from some sources. The figures are the last known.</p>
      <ul>
        {silent.map(({ source, since, reason }) => (
          <li key={source}>
            {source}: silent{since === undefined ? ' from the start' : <ForHowLong since={since} />}
            <span className="dim"> ({reason})</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
