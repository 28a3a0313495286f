import { useMemo } from 'react';
import { type ApiField, fieldsOf, type SchemaDocument } from '../../api-field.ts';
import type { ObjectKind } from '../api/object-kind.ts';
import { useAnswer } from '../api/use-object.ts';
import { useSession } from '../session/use-session.ts';

const none: readonly ApiField[] = [];

/** The fields of a message, as the API describes itself; none until it is wanted and has been read. */
export function useApiFields(message: string, options: { readonly isWanted: boolean }): readonly ApiField[] {
  const { data } = useAnswer<SchemaDocument>(['openapi'], '/openapi.json', {}, options);
  return useMemo(() => (data === undefined ? none : fieldsOf(data, message)), [data, message]);
}

/** What the API that this session sees calls an object of the kind: `private.v1.HostClass`. */
export function useMessageOf({ payload }: Pick<ObjectKind, 'payload'>): string {
  const { isStaff } = useSession();
  const name = payload.replaceAll(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
  return `${isStaff ? 'private' : 'fulfillment'}.v1.${name}`;
}
