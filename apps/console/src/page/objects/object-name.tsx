import { Link } from 'wouter';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { may, type ObjectKind, objectHref } from '../api/object-kind.ts';
import { useObject } from '../api/use-object.ts';
import { shortId } from '../model/short-id.ts';
import { useSession } from '../session/session.ts';

/** Another object by what people call it, as a link. Until that is known, and where it cannot be, its id stands for it. */
export function ObjectName({ kind, id }: { readonly kind: ObjectKind; readonly id: string }) {
  const session = useSession();
  const { data } = useObject<ApiObject>(kind, id, { isWanted: may(session, 'Get', kind) && id !== '' });
  return (
    <Link href={objectHref(kind, id)} title={id}>
      {data === undefined ? <span className="mono">{shortId(id)}</span> : nameOf(data)}
    </Link>
  );
}
