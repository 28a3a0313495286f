import { StatusError } from '@quartermaster/kernel';
import { type KubeObject, type ResourceType, resourceType } from '../objects/objects.ts';
import type { KubeWriter } from './api.ts';
import type { TokenOwner } from './token-review.ts';

/** A right on all objects of a kind. */
export interface ReviewedRight extends Pick<ResourceType, 'group' | 'plural'> {
  readonly verb: string;
}

/** Whether somebody has a right, as the API server says. Throws `unavailable` when it cannot be asked. */
export type ReviewAccess = (who: TokenOwner, right: ReviewedRight, signal: AbortSignal) => Promise<boolean>;

interface SubjectAccessReview extends KubeObject {
  readonly spec: {
    readonly user: string;
    readonly groups: readonly string[];
    readonly uid: TokenOwner['uid'];
    readonly extra: TokenOwner['extra'];
    readonly resourceAttributes: { readonly verb: string; readonly group: string; readonly resource: string };
  };
  readonly status?: { readonly allowed?: boolean };
}

const subjectAccessReviews = resourceType<SubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
});

/** Asks each time: a right that was taken away is gone at once. */
export function accessReviewer(client: Pick<KubeWriter, 'create'>): ReviewAccess {
  return async ({ name: user, groups, uid, extra }, { verb, group, plural: resource }, signal) => {
    const spec = { user, groups, uid, extra, resourceAttributes: { verb, group, resource } };
    const { status } = await client.create(subjectAccessReviews, { spec }, { signal }).catch((cause: unknown) => {
      throw new StatusError('unavailable', `the API server could not review whether ${user} may ${verb} ${resource}: try again`, {
        cause,
      });
    });
    return status?.allowed === true;
  };
}
