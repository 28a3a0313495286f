import { Link } from 'wouter';
import { hostClassKind, objectHref } from '../api/object-kind.ts';
import { formatInteger } from '../model/amounts.ts';
import { useNamesOf } from './names-of.ts';
import { rowsOfSets } from './sized-sets.ts';

/** Sets of hosts by name, each with its size and class. */
export function SizedSetsList({ sets }: { readonly sets: Parameters<typeof rowsOfSets>[0] }) {
  const classes = useNamesOf(hostClassKind);
  return (
    <ul className="set-lines">
      {rowsOfSets(sets).map(({ name, hostClass, size }) => (
        <li key={name}>
          <strong>{name}</strong>
          <span>{formatInteger(Number(size))} of</span>
          <Link href={objectHref(hostClassKind, hostClass)}>{classes.get(hostClass) ?? hostClass}</Link>
        </li>
      ))}
    </ul>
  );
}
