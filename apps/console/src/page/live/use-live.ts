import { createContext, useContext, useSyncExternalStore } from 'react';
import { type Freshness, freshnessOf } from '../model/freshness.ts';
import type { LiveState, LiveStore } from './live-store.ts';

export const LiveContext = createContext<LiveStore | undefined>(undefined);

export function useLiveStore(): LiveStore {
  const store = useContext(LiveContext);
  if (store === undefined) throw new Error('a live hook is used outside of LiveContext: wrap the page in one');
  return store;
}

/** What the server last said about everything as a whole, drawn again after every message. */
export function useLive(): LiveState {
  const store = useLiveStore();
  return useSyncExternalStore(store.subscribe, store.current);
}

export const NowContext = createContext(0);

/** The server's time, drawn again every second so that ages stay true. */
export function useNow(): number {
  return useContext(NowContext);
}

export function useFreshness(): Freshness {
  const { connection, heardAt, summary } = useLive();
  return freshnessOf({ now: useNow(), connection, heardAt, observedAt: summary?.observedAt });
}
