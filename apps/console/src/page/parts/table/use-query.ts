import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/** What to change in the address: parameter -> its new value, null to take it out. */
type QueryChange = Readonly<Record<string, string | null>>;

/** Changes parameters of the address in one step. It replaces the entry in the history: the way back leads to the page before. */
export function useQueryChange(): (change: QueryChange) => void {
  const [, setParams] = useSearchParams();
  return useCallback(
    (change: QueryChange) =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(change)) {
            if (value === null || value === '') next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: true },
      ),
    [setParams],
  );
}

/** One parameter of the address, and how to change it alone. */
export function useQuery(name: string): readonly [string | null, (value: string | null) => void] {
  const [params] = useSearchParams();
  const change = useQueryChange();
  const set = useCallback((value: string | null) => change({ [name]: value }), [change, name]);
  return [params.get(name), set];
}
