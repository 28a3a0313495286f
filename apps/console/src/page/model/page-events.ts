import { useEffect } from 'react';

/** Asks the page to explain what it shows, or to stop doing so. */
export const explainEvent = 'quartermaster:explain';

/** Asks every table that holds its rows to let them move. */
export const releaseEvent = 'quartermaster:release';

/** Calls back whenever the event happens, while the component is there. */
export function usePageEvent(name: string, listener: () => void): void {
  useEffect(() => {
    window.addEventListener(name, listener);
    return () => window.removeEventListener(name, listener);
  }, [name, listener]);
}
