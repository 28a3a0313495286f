import { again, type Reconciler } from '@quartermaster/controller';
import { isFailure, isNamespaceEnding } from '@quartermaster/kube';

/** Long enough for a cache to hear of it. */
const requeueAfterMs = 500;

/**
 * The reconciler, for objects that come and go. What it read in its cache may be gone when it writes, or go with its namespace: then there is nothing left to do about it, which is no failure. It
 * looks again a little later, and finds the object gone, too, or something else in the place of what was missing.
 */
export function goneIsDone(reconciler: Reconciler): Reconciler {
  return {
    name: reconciler.name,
    reconcile: async (key, signal) => {
      try {
        return await reconciler.reconcile(key, signal);
      } catch (error) {
        if (!isFailure(error, 'not-found') && !isNamespaceEnding(error)) throw error;
        return again(requeueAfterMs);
      }
    },
  };
}
