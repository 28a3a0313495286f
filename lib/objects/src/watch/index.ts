export { privateWatch } from './private-watch.ts';
export { publicWatch } from './public-watch.ts';
export type { WatchAnswer } from './watch-changes.ts';
