import { type Clock, StatusError } from '@quartermaster/kernel';
import { type KubeClient, pathReviewer, recentAccess, tokenReviewer } from '@quartermaster/kube';
import { limitedReview } from '@quartermaster/rpc';
import type { AdmitCaller } from '@quartermaster/service';

export interface AdminAccessOptions {
  /** Connects to the cluster that knows the tokens. Called once, when somebody first shows one. */
  readonly connect: () => Promise<Pick<KubeClient, 'create'>>;
  readonly clock: Clock;
}

/** Kubernetes lets everybody `get` /livez and /readyz, so that is no right to know reasons. */
const path = '/metrics';

/**
 * Who may read the metrics of a process and the reasons behind its probes: whoever shows a client certificate of its authorities, or the token of a user whom RBAC of
 * the cluster lets `get` the path /metrics.
 */
export function adminAccess({ connect, clock }: AdminAccessOptions): AdmitCaller {
  let reviews: Promise<{ reviewToken: ReturnType<typeof tokenReviewer>; reviewPath: ReturnType<typeof pathReviewer> }> | undefined;
  const open = async () => {
    const client = await connect();
    return { reviewToken: tokenReviewer(client, clock), reviewPath: recentAccess(pathReviewer(client), clock) };
  };
  const opened = () => {
    reviews ??= open().catch((cause: unknown) => {
      reviews = undefined;
      throw new StatusError(
        'unavailable',
        'there is no cluster to ask whose token this is: set kubeconfig, or show a client certificate of admin-client-ca-file',
        { cause },
      );
    });
    return reviews;
  };
  const ownerOf = limitedReview(async (token, signal) => await (await opened()).reviewToken(token, signal), clock);
  return async (shown, signal) => {
    if (shown.hasCertificate) return;
    const owner = await ownerOf(shown, signal);
    if (owner === undefined) throw unknownCaller;
    const { reviewPath } = await opened();
    if (await reviewPath(owner, path, signal)) return;
    throw new StatusError(
      'permission_denied',
      `${owner.name} may not get ${path}: bind it to a ClusterRole with nonResourceURLs: [${path}] and verbs: [get]`,
    );
  };
}

const unknownCaller = new StatusError(
  'unauthenticated',
  'not authenticated: send the header "authorization: Bearer <token>" of a service account, or a client certificate of admin-client-ca-file',
);
