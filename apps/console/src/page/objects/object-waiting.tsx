import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ObjectKind } from '../api/object-kind.ts';
import type { ApiError } from '../http/api-error.ts';
import { problemText } from '../http/problem-text.ts';

interface ObjectWaitingProps {
  readonly kind: ObjectKind;
  readonly id: string;
  readonly error: ApiError | null;
  /** Where all of them are. */
  readonly href: string;
}

/** Instead of an object that is not there: being read, gone, or not to be had. */
export function ObjectWaiting({ kind, id, error, href }: ObjectWaitingProps): ReactNode {
  if (error === null) {
    return (
      <div className="waiting" aria-busy="true">
        <p>Asking for the {kind.singular} …</p>
        <div className="ghost" />
        <div className="ghost" />
      </div>
    );
  }
  return (
    <div className="empty" role="alert">
      <h1>{error.code === 'not_found' ? `There is no such ${kind.singular}` : `The ${kind.singular} cannot be shown`}</h1>
      <p>
        {error.code === 'not_found' ? (
          <>
            None that you may see has the id <code>{id}</code>; it may have been deleted.
          </>
        ) : (
          problemText(error)
        )}{' '}
        <Link href={href}>All {kind.plural}</Link>.
      </p>
    </div>
  );
}
