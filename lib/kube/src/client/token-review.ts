import { createHash } from 'node:crypto';
import { type Clock, StatusError } from '@quartermaster/kernel';
import { type KubeObject, resourceType } from '../objects/objects.ts';
import type { KubeWriter } from './api.ts';
import { RecentAnswers } from './recent-answers.ts';

/** Whose a token is, as the API server says. */
export interface TokenOwner {
  /** `system:serviceaccount:namespace:name` for a service account. */
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string | undefined;
  /** What the authenticator adds, such as scopes that narrow the rights of the token. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

export interface TokenReviewOptions {
  /** The token must be made for one of these; for the API server itself unless given. */
  readonly audiences?: readonly string[] | undefined;
  /** Beside all others: a token for this one is of no use to whoever it is shown to. */
  readonly ownAudience?: string | undefined;
}

/** Undefined when the token is not valid. Throws `unavailable` when the API server cannot be asked. */
export type ReviewToken = (token: string, signal: AbortSignal) => Promise<TokenOwner | undefined>;

interface TokenReview extends KubeObject {
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] | undefined };
  readonly status?: {
    readonly authenticated?: boolean;
    readonly audiences?: readonly string[];
    readonly user?: Partial<Omit<TokenOwner, 'name'>> & { readonly username?: string };
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
const ownerAnswers = { believeMs: 60_000, max: 1_000 };
/** Kept apart: whoever sends made-up tokens cannot push out those that are valid. Short, since a token may come before the API server knows its account. */
const refusals = { believeMs: 10_000, max: 200 };

/** Asks the API server whose a token is. Tokens are remembered by their hash alone. */
export function tokenReviewer(client: Pick<KubeWriter, 'create'>, clock: Clock, options: TokenReviewOptions = {}): ReviewToken {
  const owners = new RecentAnswers<TokenOwner>(clock, ownerAnswers); // hash of the token -> whose it is
  const refused = new RecentAnswers<undefined>(clock, refusals);
  return async (token, signal) => {
    const hash = createHash('sha256').update(token).digest('base64');
    const known = owners.find(hash) ?? refused.find(hash);
    if (known !== undefined) return known.answer;
    const { ownAudience: own } = options;
    const audiences =
      options.audiences === undefined ? ownAudienceOf(token, own) : [...options.audiences, ...(own === undefined ? [] : [own])];
    const spec = { token, audiences };
    const { status } = await client.create(tokenReviews, { spec }, { signal }).catch((cause: unknown) => {
      throw new StatusError('unavailable', 'the API server could not review the token: try again', { cause });
    });
    const owner = ownerIn(status, audiences);
    if (owner === undefined) refused.keep(hash, undefined);
    else owners.keep(hash, owner);
    return owner;
  };
}

/** By what the token says of itself; whether that is true is what the API server is asked. */
function ownAudienceOf(token: string, own: string | undefined): readonly string[] | undefined {
  if (own === undefined) return undefined;
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { readonly aud?: unknown } | null;
    return [claims?.aud].flat().includes(own) ? [own] : undefined;
  } catch {
    return undefined;
  }
}

function ownerIn(status: TokenReview['status'], audiences: readonly string[] | undefined): TokenOwner | undefined {
  const name = status?.user?.username;
  if (status?.authenticated !== true || name === undefined) return undefined;
  // An authenticator that does not know audiences leaves them out of its answer: what it says then holds for none in particular.
  if (audiences !== undefined && status.audiences?.some((audience) => audiences.includes(audience)) !== true) return undefined;
  const { groups = [], uid, extra } = status.user ?? {};
  return { name, groups, uid, extra };
}
