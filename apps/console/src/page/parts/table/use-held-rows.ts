import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type HeldRows, holdRows } from '../../model/held-rows.ts';
import { releaseEvent, usePageEvent } from '../../model/page-events.ts';

export interface Held<T> extends HeldRows<T> {
  /** Goes on the element that holds the rows. */
  readonly holdProps: { readonly onPointerEnter: () => void; readonly onPointerLeave: () => void };
  readonly release: () => void;
}

/**
 * Nothing moves under the hand: while the pointer is over the rows they keep their places. `scope` names what the rows are a
 * view of; asking for another view (a filter, an order) shows it at once.
 */
export function useHeldRows<T>(newest: readonly T[], keyOf: (row: T) => string, scope: string): Held<T> {
  const [held, setHeld] = useState<{ readonly rows: readonly T[]; readonly scope: string }>();
  const latest = useRef(newest);
  // Before anybody can see that there is something to let go: a key that is pressed at once must find the newest rows.
  useLayoutEffect(() => {
    latest.current = newest;
  }, [newest]);

  const isHeld = held !== undefined;
  const hold = useCallback(() => setHeld({ rows: latest.current, scope }), [scope]);
  const letGo = useCallback(() => setHeld(undefined), []);
  const release = useCallback(() => setHeld((before) => before && { rows: latest.current, scope }), [scope]);

  usePageEvent(releaseEvent, release);
  useEffect(() => {
    if (isHeld) setHeld((before) => (before === undefined || before.scope === scope ? before : { rows: latest.current, scope }));
  }, [isHeld, scope]);

  const heldRows = held?.scope === scope ? held.rows : undefined;
  const result = useMemo(() => holdRows(heldRows, newest, keyOf), [heldRows, newest, keyOf]);
  return { ...result, holdProps: { onPointerEnter: hold, onPointerLeave: letGo }, release };
}
