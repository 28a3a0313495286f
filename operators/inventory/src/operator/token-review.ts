import { type Clock, StatusError } from '@quartermaster/kernel';
import { type KubeObject, type KubeWriter, resourceType } from '@quartermaster/kube';
import type { Identity } from '@quartermaster/rpc';

interface TokenReview extends KubeObject {
  readonly spec: { readonly token: string };
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: { readonly username?: string; readonly groups?: readonly string[] };
  };
}

const tokenReviews = resourceType<TokenReview>({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
});

/** An answer is believed for so long, so that a busy client costs one question a minute. A revoked token works that much longer. */
const believeMs = 60_000;
const mostRemembered = 1_000;

/** Asks the API server whose a token is. */
export function tokenReviewer(client: KubeWriter, clock: Clock): (token: string, signal: AbortSignal) => Promise<Identity | undefined> {
  const known = new Map<string, { readonly identity: Identity; readonly until: number }>(); // token -> whose it is
  return async (token, signal) => {
    const remembered = known.get(token);
    if (remembered !== undefined && remembered.until > clock.monotonic()) return remembered.identity;
    known.delete(token);
    const { status } = await client.create(tokenReviews, { spec: { token } }, { signal }).catch((cause: unknown) => {
      throw new StatusError('unavailable', 'whose token this is could not be asked of the API server: try again', { cause });
    });
    const name = status?.user?.username;
    if (status?.authenticated !== true || name === undefined) return undefined;
    const identity: Identity = { kind: 'token', name, groups: status.user?.groups ?? [] };
    if (known.size >= mostRemembered) known.clear();
    known.set(token, { identity, until: clock.monotonic() + believeMs });
    return identity;
  };
}
