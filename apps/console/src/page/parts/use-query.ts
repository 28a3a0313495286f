import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/** One parameter of the address. Setting it replaces the entry in the history: the way back leads to the page before. */
export function useQuery(name: string): readonly [string | null, (value: string | null) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (value: string | null) =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === null || value === '') next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [name, setParams],
  );
  return [params.get(name), set];
}
