import { type Clock, silentLog } from '@quartermaster/kernel';
import { observeNode } from '../src/observe/observe-node.ts';
import type { InventoryFeed } from '../src/publish/inventory-feed.ts';
import { InventoryViews } from '../src/views/inventory-views.ts';
import { viewsByAddress } from '../src/views/open-view.ts';
import { ViewFeed } from '../src/views/view-feed.ts';

/** Views over a feed alone: every node of it is ready. */
export function servingViews(
  feed: InventoryFeed,
  clock: Clock,
): { readonly views: InventoryViews; readonly viewFeed: ViewFeed; readonly stop: () => void } {
  const conditions = [{ type: 'Ready', status: 'True' }];
  const views = new InventoryViews({
    feed,
    allocations: () => [],
    observed: (name) => observeNode({ metadata: { name }, status: { conditions } }),
    confirmedAt: () => clock.now(),
    clock,
  });
  const viewFeed = new ViewFeed({
    open: viewsByAddress(views.named),
    subscribe: (changed) => views.subscribe(changed),
    clock,
    log: silentLog,
  });
  return {
    views,
    viewFeed,
    stop: () => {
      viewFeed.close();
      views.stop();
    },
  };
}
