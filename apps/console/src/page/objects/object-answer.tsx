import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../api/api-error.ts';
import type { ObjectKind } from '../api/object-kind.ts';
import { kindHref } from '../model/addresses.ts';

interface ObjectAnswerProps<T> {
  readonly kind: ObjectKind;
  readonly id: string;
  /** As a query has it: undefined before the first answer, kept while a later one fails. */
  readonly answer: { readonly data: T | undefined; readonly error: ApiError | null };
  readonly children: (object: T) => ReactNode;
}

/** The page of one object: what it is, that it is being asked for, or why there is none. */
export function ObjectAnswer<T>({ kind, id, answer: { data, error }, children }: ObjectAnswerProps<T>) {
  const problem = error === null ? undefined : ApiError.from(error);
  if (problem?.code === 'not_found') return <NoObject kind={kind} id={id} />;
  if (data !== undefined) return children(data);
  return (
    <>
      <header className="page-head">
        <h1 className="mono">{id}</h1>
      </header>
      {problem === undefined ? (
        <div className="waiting" aria-busy="true">
          <p>Asking for the {kind.singular} …</p>
          <div className="ghost" />
          <div className="ghost" />
        </div>
      ) : (
        <p className="stale-notice" role="alert">
          {problem.message}
        </p>
      )}
    </>
  );
}

/** It is not there, or not for this session to see: the API says the same of both. */
function NoObject({ kind, id }: { readonly kind: ObjectKind; readonly id: string }) {
  return (
    <div className="empty">
      <h1>There is no such {kind.singular}</h1>
      <p>
        No {kind.singular} that you can see has the id <code>{id}</code>. It may have been deleted;{' '}
        <Link href={kindHref(kind.name)}>all {kind.plural}</Link>.
      </p>
    </div>
  );
}
