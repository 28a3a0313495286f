import type { ReactNode } from 'react';
import type { ApiObject } from '../api/api-object.ts';
import type { ObjectKind } from '../api/object-kind.ts';
import { useObject } from '../api/use-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { ObjectAnswer } from './object-answer.tsx';

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
