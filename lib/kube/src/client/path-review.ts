import type { KubeWriter } from './api.ts';
import { subjectAccessReview } from './subject-access-review.ts';
import type { TokenOwner } from './token-review.ts';

/** Whether somebody may `get` a path that is no resource, as the API server says. Throws `unavailable` when it cannot be asked. */
export type ReviewPath = (who: TokenOwner, path: string, signal: AbortSignal) => Promise<boolean>;

/** The right is that of rules with `nonResourceURLs`, by which the components of Kubernetes protect their metrics. Asks each time. */
export function pathReviewer(client: Pick<KubeWriter, 'create'>): ReviewPath {
  return async (who, path, signal) => await subjectAccessReview(client, who, { nonResourceAttributes: { verb: 'get', path } }, signal);
}
