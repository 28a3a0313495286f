import { again, done, type Reconciler } from '@quartermaster/controller';
import { kinds, parseKey } from '@quartermaster/kube';
import type { ControllerContext } from './controller-context.ts';

/** As long as API servers keep Events unless told otherwise. */
const eventTtlMs = 3_600_000;

/** Deletes Events that nobody has added to for an hour, where the API server does not do it itself. */
export const eventExpiryReconciler = ({ caches, client, clock }: ControllerContext): Reconciler => ({
  name: 'simulated-event-expiry',
  reconcile: async (key, signal) => {
    const entry = caches.events.get(key);
    if (entry === undefined) return done;
    const leftMs = entry.value.lastSeenMs + eventTtlMs - clock.now();
    if (leftMs > 0) return again(leftMs);
    await client.delete(kinds.events, parseKey(key), { signal });
    return done;
  },
});
