import type { LeftOutView } from '@quartermaster/api/inventory-views';

/** Objects of the cluster that the inventory could not read: they are not in its figures, or as they last were. */
export function LeftOutObjects({ leftOut }: { readonly leftOut: readonly LeftOutView[] }) {
  if (leftOut.length === 0) return null;
  return (
    <div className="stale-notice" role="note">
      <p>Some objects of the cluster could not be read. The figures are without them, or have them as they last were.</p>
      <ul>
        {leftOut.flatMap(({ source, count, named }) => [
          ...named.map(({ name, reason }) => (
            <li key={`${source} ${name}`}>
              {source} {name}
              <span className="dim"> ({reason})</span>
            </li>
          )),
          ...(count > named.length ? [<li key={source}>{`${count - named.length} more of ${source}`}</li>] : []),
        ])}
      </ul>
    </div>
  );
}
