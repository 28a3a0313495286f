import { done, type Reconciler } from '@quartermaster/controller';
import { kinds } from '@quartermaster/kube';
import { tolerating } from '../client/tolerating.ts';
import type { ControllerContext } from './controller-context.ts';

/** Gives every namespace its `default` ServiceAccount, without which an API server refuses pods there. */
export const serviceAccountReconciler = ({ caches, client }: ControllerContext): Reconciler => ({
  name: 'simulated-service-account',
  reconcile: async (namespace, signal) => {
    const found = caches.namespaces.get(namespace)?.value;
    if (found === undefined || found.metadata?.deletionTimestamp !== undefined) return done;
    await tolerating('already-exists', client.create(kinds.serviceAccounts, { metadata: { namespace, name: 'default' } }, { signal }));
    return done;
  },
});
