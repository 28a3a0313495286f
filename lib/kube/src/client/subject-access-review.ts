import { StatusError } from '@quartermaster/kernel';
import { type KubeObject, resourceType } from '../objects/objects.ts';
import type { KubeWriter } from './api.ts';
import type { TokenOwner } from './token-review.ts';

type ReviewedAttributes =
  | { readonly resourceAttributes: { readonly verb: string; readonly group: string; readonly resource: string } }
  | { readonly nonResourceAttributes: { readonly verb: string; readonly path: string } };

interface SubjectAccessReview extends KubeObject {
  readonly spec: ReviewedAttributes & Omit<TokenOwner, 'name'> & { readonly user: string };
  readonly status?: { readonly allowed?: boolean };
}

const subjectAccessReviews = resourceType<SubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
});

/** Whether somebody may, as the API server says. Throws `unavailable` when it cannot be asked. */
export async function subjectAccessReview(
  client: Pick<KubeWriter, 'create'>,
  { name: user, groups, uid, extra }: TokenOwner,
  attributes: ReviewedAttributes,
  signal: AbortSignal,
): Promise<boolean> {
  const spec = { user, groups, uid, extra, ...attributes };
  const { status } = await client.create(subjectAccessReviews, { spec }, { signal }).catch((cause: unknown) => {
    throw new StatusError('unavailable', `the API server could not review whether ${user} may ${right(attributes)}: try again`, { cause });
  });
  return status?.allowed === true;
}

function right(attributes: ReviewedAttributes): string {
  if ('resourceAttributes' in attributes) return `${attributes.resourceAttributes.verb} ${attributes.resourceAttributes.resource}`;
  return `${attributes.nonResourceAttributes.verb} ${attributes.nonResourceAttributes.path}`;
}
