import { useCallback, useState } from 'react';
import { useNow } from '../live/use-live.ts';
import { type Acknowledgement, parseAcknowledgements } from './acknowledgements.ts';

const storageKey = 'quartermaster-acknowledged';

export interface Acknowledgements {
  /** Those that have not ended: key of a need -> acknowledgement. */
  readonly current: ReadonlyMap<string, Acknowledgement>;
  readonly add: (acknowledgement: Acknowledgement) => void;
  readonly remove: (key: string) => void;
}

/** What was acknowledged in this browser; there is no place for it on a server yet, and each person has their own. */
export function useAcknowledgements(): Acknowledgements {
  const now = useNow();
  const [kept, setKept] = useState(() => parseAcknowledgements(window.localStorage.getItem(storageKey), now));
  const change = useCallback((next: (before: readonly Acknowledgement[]) => readonly Acknowledgement[]) => {
    setKept((before) => {
      const after = next(before);
      window.localStorage.setItem(storageKey, JSON.stringify(after));
      return after;
    });
  }, []);
  return {
    current: new Map(kept.filter(({ until }) => until > now).map((each) => [each.key, each])),
    add: (acknowledgement) => change((before) => [...before.filter(({ key }) => key !== acknowledgement.key), acknowledgement]),
    remove: (removed) => change((before) => before.filter(({ key }) => key !== removed)),
  };
}
