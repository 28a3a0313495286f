import { createContext, type ReactNode, useContext, useState } from 'react';
import { useFeedEvents } from '../api/use-feed.ts';
import { type EventLogState, withEvent } from './event-log.ts';

const EventLogContext = createContext<EventLogState | undefined>(undefined);

/** Keeps what happens while the console is open, whichever page is in sight. */
export function EventLogProvider({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<EventLogState>(() => ({ since: Date.now(), events: [], hasGap: false }));
  useFeedEvents((event) => setState((before) => withEvent(before, event, Date.now())));
  return <EventLogContext value={state}>{children}</EventLogContext>;
}

export function useEventLog(): EventLogState {
  const state = useContext(EventLogContext);
  if (state === undefined) throw new Error('useEventLog is used outside of EventLogProvider: wrap the page in one');
  return state;
}
