import type { ReactNode } from 'react';
import type { ObjectKind } from '../api/object-kind.ts';
import type { ApiError } from '../http/api-error.ts';
import { kindHref } from '../model/addresses.ts';
import { ObjectWaiting } from './object-waiting.tsx';

interface ObjectAnswerProps<T> {
  readonly kind: ObjectKind;
  readonly id: string;
  /** As a query has it: undefined before the first answer, kept while a later one fails. */
  readonly answer: { readonly data: T | undefined; readonly error: ApiError | null };
  readonly children: (object: T) => ReactNode;
}

/** The page of one object: what it is, that it is being asked for, or why there is none. */
export function ObjectAnswer<T>({ kind, id, answer: { data, error }, children }: ObjectAnswerProps<T>) {
  if (data === undefined || error?.code === 'not_found') {
    return <ObjectWaiting kind={kind} id={id} error={error} href={kindHref(kind.name)} />;
  }
  return children(data);
}
