import { Link } from 'wouter';
import { listHref, type ObjectKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { formatInteger } from '../model/amounts.ts';
import { Changing } from '../parts/changing.tsx';

/** How many objects match, counted by the service; undefined until it has answered. */
export const useObjectCount = (kind: ObjectKind, filter: string, options: { readonly isWanted?: boolean } = {}): number | undefined =>
  useObjects(kind, { filter, limit: 0 }, options).data?.total;

/** The same as a link to those objects, in a table. */
export function ObjectCount({ kind, filter }: { readonly kind: ObjectKind; readonly filter: string }) {
  const total = useObjectCount(kind, filter);
  if (total === undefined) return <span className="dim">…</span>;
  return (
    <Link href={listHref(kind, filter)} tabIndex={-1}>
      <Changing value={total}>{formatInteger(total)}</Changing>
    </Link>
  );
}
