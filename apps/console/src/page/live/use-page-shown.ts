import { useSyncExternalStore } from 'react';

/**
 * Whether anybody can see the page. Browsers have six connections to a server without HTTP/2, for all tabs together: those that nobody looks at leave
 * them to the one that somebody does.
 */
export function usePageShown(): boolean {
  return useSyncExternalStore(subscribe, () => document.visibilityState === 'visible');
}

function subscribe(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
