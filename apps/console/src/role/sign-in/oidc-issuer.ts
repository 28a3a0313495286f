import { type Clock, isLoopback, type Log, messageOf, StatusError } from '@quartermaster/kernel';
import * as oidc from 'openid-client';
import * as z from 'zod';
import type { SealedSession } from '../session/console-session.ts';

export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a client without a secret. Asked for when the issuer is first asked. */
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
  /** Sent with every request to the issuer: `resource`, `audience`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Which of its tokens the services take. */
  readonly tokenKind: 'access' | 'id';
  /** Where the issuer sends a browser back to. */
  readonly callbackUrl: string;
  /** Where it sends it after signing out there. */
  readonly homeUrl: string;
  readonly fetch: oidc.CustomFetch;
  readonly clock: Clock;
  /** Told what went wrong, which names addresses: a browser is told that something did. */
  readonly log: Log;
}

/** What a browser that was sent to the issuer keeps until it comes back, sealed. */
export const startedFlow = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Of the page that began it. */
  returnTo: z.string(),
  keyHash: z.string(),
});
export type StartedFlow = z.output<typeof startedFlow>;

type Tokens = Pick<SealedSession, 'token' | 'refreshToken' | 'tokenEndsAt'>;

interface Renewal {
  readonly tokens: Promise<Tokens>;
  /** By the monotonic clock. */
  until: number;
}

/** Longer than a request is on its way. */
const renewedForMs = 30_000;

/** That the issuer gave no answer that could be judged. */
const awayCodes = new Set(['', 'OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']);

/** The code flow of OpenID Connect, with PKCE, state and nonce. The issuer is asked about itself when it is first needed, and again after a failure. */
export class OidcIssuer {
  readonly #options: OidcOptions;
  #found: Promise<oidc.Configuration> | undefined;
  readonly #renewals = new Map<string, Renewal>(); // refresh token -> what becomes of it: it may be good for one use

  constructor(options: OidcOptions) {
    this.#options = options;
  }

  /** Where to send a browser, and what it has to keep. */
  async begin(page: Pick<StartedFlow, 'returnTo' | 'keyHash'>): Promise<{ readonly location: string; readonly flow: StartedFlow }> {
    const { callbackUrl, scopes, parameters } = this.#options;
    const configuration = await this.#configuration();
    const flow = { ...page, state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
    const location = oidc.buildAuthorizationUrl(configuration, {
      ...parameters,
      redirect_uri: callbackUrl,
      scope: scopes.join(' '),
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
    });
    return { location: location.href, flow };
  }

  /** The tokens for what a browser came back with: the query of the callback. Throws `unauthenticated` for one that does not belong to the flow. */
  async finish(query: string, flow: StartedFlow): Promise<Tokens> {
    const { callbackUrl, parameters } = this.#options;
    const configuration = await this.#configuration();
    try {
      const answer = await oidc.authorizationCodeGrant(
        configuration,
        new URL(`${callbackUrl}${query}`),
        { expectedState: flow.state, expectedNonce: flow.nonce, pkceCodeVerifier: flow.verifier, idTokenExpected: true },
        { ...parameters },
      );
      return this.#tokensOf(answer);
    } catch (cause) {
      throw this.#refused('gave no token', cause);
    }
  }

  /** New tokens for a refresh token; several callers with the same one get the same, also those that come a little late with the cookie of before. */
  async renew(refreshToken: string): Promise<Tokens> {
    const { clock } = this.#options;
    for (const [each, { until }] of this.#renewals) if (until <= clock.monotonic()) this.#renewals.delete(each);
    const running = this.#renewals.get(refreshToken);
    if (running !== undefined) return await running.tokens;
    const renewal: Renewal = { tokens: this.#renew(refreshToken), until: Number.POSITIVE_INFINITY };
    this.#renewals.set(refreshToken, renewal);
    try {
      const tokens = await renewal.tokens;
      renewal.until = clock.monotonic() + renewedForMs;
      return tokens;
    } catch (thrown) {
      this.#renewals.delete(refreshToken);
      throw thrown;
    }
  }

  /** Withdraws the refresh token where the issuer can do that, and says where the browser signs out there. */
  async end({ refreshToken }: Pick<SealedSession, 'refreshToken'>): Promise<string | undefined> {
    const { clientId, homeUrl } = this.#options;
    // Nobody gets tokens out of a session that is over by showing the cookie from before its renewal.
    for (const [before, { tokens }] of this.#renewals) {
      // One that failed gave no tokens to take back, and its caller was told why.
      const renewed = await tokens.catch(() => undefined);
      if (renewed?.refreshToken === refreshToken) this.#renewals.delete(before);
    }
    const configuration = await this.#configuration();
    const { revocation_endpoint: revocation, end_session_endpoint: endSession } = configuration.serverMetadata();
    if (revocation !== undefined && refreshToken !== undefined) await oidc.tokenRevocation(configuration, refreshToken);
    if (endSession === undefined) return undefined;
    return oidc.buildEndSessionUrl(configuration, { client_id: clientId, post_logout_redirect_uri: homeUrl }).href;
  }

  async #renew(refreshToken: string): Promise<Tokens> {
    const configuration = await this.#configuration();
    try {
      const answer = await oidc.refreshTokenGrant(configuration, refreshToken, { ...this.#options.parameters });
      return { ...this.#tokensOf(answer), refreshToken: answer.refresh_token ?? refreshToken };
    } catch (cause) {
      throw this.#refused('does not renew the session', cause);
    }
  }

  #tokensOf(answer: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers): Tokens {
    const { tokenKind, clock } = this.#options;
    const token = tokenKind === 'id' ? answer.id_token : answer.access_token;
    if (token === undefined) throw new StatusError('unauthenticated', `the issuer gave no ${tokenKind} token`);
    const seconds = tokenKind === 'id' ? undefined : answer.expires_in;
    const claimed = tokenKind === 'id' ? answer.claims()?.exp : undefined;
    const tokenEndsAt = seconds === undefined ? (claimed === undefined ? undefined : claimed * 1000) : clock.now() + seconds * 1000;
    return { token, refreshToken: answer.refresh_token, tokenEndsAt };
  }

  #refused(what: string, cause: unknown): StatusError {
    if (isAway(cause)) return this.#away(cause);
    const { issuer, log } = this.#options;
    const said = cause instanceof oidc.ResponseBodyError || cause instanceof oidc.AuthorizationResponseError ? cause.error : undefined;
    log.warn('the issuer refused', { issuer, what, error: said ?? messageOf(cause) });
    return new StatusError('unauthenticated', `the issuer ${what} (${said ?? 'its answer is not to be believed'}): sign in again`);
  }

  #away(cause: unknown): StatusError {
    const { issuer, log } = this.#options;
    log.warn('the issuer cannot be asked', { issuer, error: messageOf(cause) });
    return new StatusError('unavailable', 'the issuer cannot be asked: try again in a moment', { cause });
  }

  #configuration(): Promise<oidc.Configuration> {
    this.#found ??= this.#discover().catch((thrown: unknown) => {
      this.#found = undefined;
      throw thrown;
    });
    return this.#found;
  }

  async #discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret, fetch } = this.#options;
    const address = new URL(issuer);
    // Marked as deprecated so that nobody uses it lightly. An issuer on this machine needs no certificate; settings refuse any other without one.
    // oxlint-disable-next-line typescript/no-deprecated
    const execute = address.protocol === 'http:' && isLoopback(address.hostname) ? [oidc.allowInsecureRequests] : [];
    const authentication = clientSecret === undefined ? oidc.None() : oidc.ClientSecretPost(clientSecret);
    try {
      return await oidc.discovery(address, clientId, undefined, authentication, { execute, [oidc.customFetch]: fetch });
    } catch (cause) {
      throw this.#away(cause);
    }
  }
}

function isAway(cause: unknown): boolean {
  if (cause instanceof oidc.ClientError) return awayCodes.has(cause.code ?? '');
  if (cause instanceof oidc.ResponseBodyError) return cause.status >= 500;
  // What `fetch` throws when there is no connection; mistakes of ours have a code.
  return cause instanceof TypeError && !('code' in cause);
}
