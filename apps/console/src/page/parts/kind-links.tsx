import { Link, useLocation, useSearchParams } from 'wouter';
import { may, objectKinds } from '../api/object-kind.ts';
import { useSession } from '../session/session.ts';

interface KindLinksProps {
  readonly kind: string;
  /** Kinds that are none of the API. */
  readonly more?: readonly { readonly name: string; readonly plural: string }[] | undefined;
}

/** All kinds that the session can see, and one of them alone. The choice is in the address. */
export function KindLinks({ kind, more = [] }: KindLinksProps) {
  const session = useSession();
  const [location] = useLocation();
  const [params] = useSearchParams();
  const href = (name: string): string => {
    const next = new URLSearchParams(params);
    next.delete('object');
    if (name === '') next.delete('kind');
    else next.set('kind', name);
    return next.size === 0 ? location : `${location}?${next.toString()}`;
  };
  const shown = [...objectKinds.filter((each) => may(session, 'List', each)), ...more];
  return (
    <nav className="phases" aria-label="Kinds">
      <Link href={href('')} aria-current={kind === '' ? 'true' : undefined}>
        All
      </Link>
      {shown.map(({ name, plural }) => (
        <Link key={name} href={href(name)} aria-current={kind === name ? 'true' : undefined}>
          {plural}
        </Link>
      ))}
    </nav>
  );
}
