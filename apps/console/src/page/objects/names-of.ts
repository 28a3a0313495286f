import { useMemo } from 'react';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { may, type ObjectKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { useSession } from '../session/session.ts';

/** id -> what people call it, of the first thousand objects of a kind: for tables that name objects of other kinds. */
export function useNamesOf(kind: ObjectKind): ReadonlyMap<string, string> {
  const session = useSession();
  const { data } = useObjects<ApiObject>(kind, {}, { isWanted: may(session, 'List', kind) });
  return useMemo(() => new Map(data?.items.map((object) => [object.id, nameOf(object)])), [data]);
}
