import { systemClock, systemRandom } from '@quartermaster/kernel';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { LiveStore } from './live/live-store.ts';
import { takeFragment } from './session/fragment.ts';
import { openViews } from './upstreams/open-views.ts';

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no element with the id root: the page has nowhere to go');

// Before anything else can see it.
const fragment = takeFragment(window);
const store = new LiveStore(openViews, systemClock, systemRandom);
window.addEventListener('online', () => store.reconnectNow());
// One that the browser kept in memory, without its streams: by now somebody else may look, or nobody.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) window.location.reload();
});
createRoot(root).render(<App store={store} fragment={fragment} />);
