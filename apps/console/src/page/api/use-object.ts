import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';
import type { ApiError } from './api-error.ts';
import type { ApiObject } from './api-object.ts';
import { type ApiCall, callApi } from './call-api.ts';
import { kindPath, type ObjectKind, objectPath } from './object-kind.ts';

/** What the API said last, and what is wrong with asking it now: both may be there. */
export interface Answered<T> {
  readonly data: T | undefined;
  readonly error: ApiError | null;
}

function useAnswered<T>(options: UseQueryOptions<T, ApiError>): Answered<T> {
  const { data, error, failureReason } = useQuery<T, ApiError>(options);
  // What may pass is asked again without end; meanwhile a page says why it waits.
  return { data, error: error ?? failureReason };
}

/** One object, read again after every change of it. */
export function useObject<T extends ApiObject>(kind: ObjectKind, id: string, options: { readonly isWanted?: boolean } = {}): Answered<T> {
  const session = useSession();
  return useAnswered<T>({
    queryKey: objectKey(kind, id),
    queryFn: ({ signal }) => callApi<T>(objectPath(session, kind, id), { signal }),
    enabled: options.isWanted ?? id !== '',
  });
}

/** At most a thousand objects of a kind, as choices and for counts; read again after every change of one. */
export function useObjects<T extends ApiObject>(
  kind: ObjectKind,
  query: Readonly<Record<string, string | number>> = {},
  options: { readonly isWanted?: boolean } = {},
): Answered<ObjectPage<T>> {
  const session = useSession();
  return useAnswered<ObjectPage<T>>({
    queryKey: [...listsKey(kind), query],
    queryFn: ({ signal }) => callApi<ObjectPage<T>>(kindPath(session, kind), { query: { limit: 1000, ...query }, signal }),
    enabled: options.isWanted ?? true,
  });
}

export interface ObjectPage<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly next_cursor: string;
}

/** Any other answer of the API, under a key of its own. */
export function useAnswer<T>(
  key: readonly unknown[],
  path: string,
  call: Omit<ApiCall, 'signal' | 'body' | 'method'> = {},
  options: { readonly isWanted?: boolean } = {},
): Answered<T> {
  return useAnswered<T>({
    queryKey: key,
    queryFn: ({ signal }) => callApi<T>(path, { ...call, signal }),
    enabled: options.isWanted ?? true,
  });
}

export const objectKey = (kind: Pick<ObjectKind, 'name'>, id: string): readonly unknown[] => ['object', kind.name, id];
export const listsKey = (kind: Pick<ObjectKind, 'name'>): readonly unknown[] => ['objects', kind.name];
/** The history of one object. */
export const auditKey = (kind: Pick<ObjectKind, 'name'>, id: string): readonly unknown[] => ['audit', kind.name, id];
