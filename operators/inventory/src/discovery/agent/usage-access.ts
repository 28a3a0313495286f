import { type Clock, StatusError } from '@quartermaster/kernel';
import { type KubeWriter, tokenReviewer } from '@quartermaster/kube';
import { limitedReview } from '@quartermaster/rpc';
import type { AdmitCaller } from '@quartermaster/service';
import { discoveryAudience } from './discovery-defaults.ts';

export interface UsageAccessOptions {
  /** Reviews tokens. */
  readonly client: Pick<KubeWriter, 'create'>;
  readonly clock: Clock;
  /** The namespace of the agents. */
  readonly namespace: string;
  /** Service accounts: NAME in that namespace, or NAMESPACE/NAME. */
  readonly callers: readonly string[];
}

/** Who may ask how busy the GPUs are: the service accounts that the settings name, with a token that was made for agents. */
export function usageAccess({ client, clock, namespace, callers }: UsageAccessOptions): AdmitCaller {
  const ownerOf = limitedReview(tokenReviewer(client, clock, { audiences: [discoveryAudience] }), clock);
  const allowed = new Set(
    callers.map((caller) => `system:serviceaccount:${(caller.includes('/') ? caller : `${namespace}/${caller}`).replace('/', ':')}`),
  );
  return async (shown, signal) => {
    const owner = await ownerOf(shown, signal);
    if (owner === undefined) {
      throw new StatusError(
        'unauthenticated',
        `not authenticated: send the header "authorization: Bearer <token>" of a service account, made for the audience ${discoveryAudience}`,
      );
    }
    if (allowed.has(owner.name)) return;
    throw new StatusError('permission_denied', `${owner.name} may not ask this agent: add it to discovery-callers`);
  };
}
