import { useEffect } from 'react';

/** Names the page in tabs, bookmarks and the history, from the thing to the place: `gpu-01 · Hosts · Quartermaster`. */
export function usePageTitle(...names: readonly string[]): void {
  const title = [...names.filter((name) => name !== ''), 'Quartermaster'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
