import { StatusError } from '@quartermaster/kernel';
import { type KubeObject, resourceType } from '../objects/objects.ts';
import type { KubeWriter } from './api.ts';
import type { TokenOwner } from './token-review.ts';

/** Whether somebody may `get` a path that is no resource, as the API server says. Throws `unavailable` when it cannot be asked. */
export type ReviewPath = (who: TokenOwner, path: string, signal: AbortSignal) => Promise<boolean>;

interface PathAccessReview extends KubeObject {
  readonly spec: {
    readonly user: string;
    readonly groups: readonly string[];
    readonly uid: TokenOwner['uid'];
    readonly extra: TokenOwner['extra'];
    readonly nonResourceAttributes: { readonly verb: 'get'; readonly path: string };
  };
  readonly status?: { readonly allowed?: boolean };
}

const pathAccessReviews = resourceType<PathAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
});

/** The right is that of rules with `nonResourceURLs`, by which the components of Kubernetes protect their metrics. Asks each time. */
export function pathReviewer(client: Pick<KubeWriter, 'create'>): ReviewPath {
  return async ({ name: user, groups, uid, extra }, path, signal) => {
    const spec = { user, groups, uid, extra, nonResourceAttributes: { verb: 'get', path } } as const;
    const { status } = await client.create(pathAccessReviews, { spec }, { signal }).catch((cause: unknown) => {
      throw new StatusError('unavailable', `the API server could not review whether ${user} may get ${path}: try again`, { cause });
    });
    return status?.allowed === true;
  };
}
