import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { problemText } from '../api/api-error.ts';
import type { ApiObject } from '../api/api-object.ts';
import { type ObjectKind, ownerTitle } from '../api/object-kind.ts';
import { type Answered, useObject } from '../api/use-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { Ghosts } from '../parts/waiting.tsx';

interface ObjectPageProps<T> {
  readonly kind: ObjectKind;
  /** Its `id` says which one. */
  readonly params: RouteParams;
  readonly children: (object: T) => ReactNode;
}

/** The page of one object, read again after every change of it. */
export function ObjectPage<T extends ApiObject>({ kind, params, children }: ObjectPageProps<T>) {
  const id = params['id'] ?? '';
  const answer = useObject<T>(kind, id);
  return (
    <ObjectAnswer kind={kind} id={id} answer={answer}>
      {children}
    </ObjectAnswer>
  );
}

interface ObjectAnswerProps<T> {
  readonly kind: ObjectKind;
  readonly id: string;
  readonly answer: Answered<T>;
  readonly children: (object: T) => ReactNode;
}

/** What an object is, that it is being asked for, or why there is none. */
function ObjectAnswer<T>({ kind, id, answer: { data, error }, children }: ObjectAnswerProps<T>) {
  const isMissing = error?.code === 'not_found';
  if (data !== undefined && !isMissing) return children(data);
  if (error === null) return <Ghosts>Loading the {kind.singular} …</Ghosts>;
  return (
    <div className="empty" role="alert">
      <h1>{isMissing ? `There is no such ${kind.singular}` : `The ${kind.singular} cannot be shown`}</h1>
      <p>
        {isMissing ? (
          <>
            No {kind.singular} with the id <code>{id}</code> exists, or you are not allowed to see it.
          </>
        ) : (
          problemText(error, ownerTitle(kind))
        )}{' '}
        <Link href={kind.href}>All {kind.plural}</Link>.
      </p>
    </div>
  );
}
