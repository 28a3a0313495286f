import { done, type Outcome, type Reconciler } from '@quartermaster/controller';
import { isFailure, kinds, type ObjectKeyText } from '@quartermaster/kube';
import type { ControllerContext } from './controller-context.ts';

/** Gives every namespace its `default` ServiceAccount, without which an API server refuses pods there. */
export class ServiceAccountReconciler implements Reconciler {
  readonly name = 'simulated-service-account';
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(namespace: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const { caches, client } = this.#context;
    const found = caches.namespaces.get(namespace)?.value;
    if (found === undefined || found.metadata?.deletionTimestamp !== undefined) return done;
    try {
      await client.create(kinds.serviceAccounts, { metadata: { namespace, name: 'default' } }, { signal });
    } catch (error) {
      if (!isFailure(error, 'already-exists')) throw error;
    }
    return done;
  }
}
