import type { ResourceType } from '../objects/objects.ts';
import type { KubeWriter } from './api.ts';
import { subjectAccessReview } from './subject-access-review.ts';
import type { TokenOwner } from './token-review.ts';

/** A right on all objects of a kind. */
export interface ReviewedRight extends Pick<ResourceType, 'group' | 'plural'> {
  readonly verb: string;
}

/** Whether somebody has a right, as the API server says. Throws `unavailable` when it cannot be asked. */
export type ReviewAccess = (who: TokenOwner, right: ReviewedRight, signal: AbortSignal) => Promise<boolean>;

/** Asks each time: a right that was taken away is gone at once. */
export function accessReviewer(client: Pick<KubeWriter, 'create'>): ReviewAccess {
  return async (who, { verb, group, plural: resource }, signal) =>
    await subjectAccessReview(client, who, { resourceAttributes: { verb, group, resource } }, signal);
}
