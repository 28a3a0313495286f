import { isFailure, type KubeObject, type KubeWriter, resourceType } from '@quartermaster/kube';

interface SelfSubjectReview extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly extra?: Readonly<Record<string, readonly string[]>> } };
}

const selfSubjectReviews = resourceType<SelfSubjectReview>({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
});

const nodeUid = 'authentication.kubernetes.io/node-uid';

/** The UID of the Node of this pod, as the API server knows it from the token. Undefined when it does not say; throws when it cannot be asked. */
export async function ownNodeUid(client: Pick<KubeWriter, 'create'>, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { status } = await client.create(selfSubjectReviews, {}, { signal });
    return status?.userInfo?.extra?.[nodeUid]?.[0];
  } catch (error) {
    if (isFailure(error, 'forbidden') || isFailure(error, 'not-found')) return undefined;
    throw error;
  }
}
