import { type Clock, codeOf, type Log, messageOf, type Random, StatusError } from '@quartermaster/kernel';
import { decodeJwt } from 'jose';
import type { CallerFacts } from '../../console-session.ts';
import { type SessionView, type SignInWay, sessionReplaced } from '../../session-view.ts';
import { endOf, type SealedSession } from '../session/console-session.ts';
import type { SealedCookie } from '../session/sealed-cookie.ts';
import { isKeyShown, newSessionKey, type SessionHeaders } from '../session/session-key.ts';
import type { Waiting } from '../upstreams/upstreams.ts';
import type { OidcIssuer } from './oidc-issuer.ts';

export interface SessionsOptions {
  readonly cookie: SealedCookie<SealedSession>;
  readonly ways: readonly SignInWay[];
  /** Names of the servers that the console asks. */
  readonly upstreams: readonly string[];
  /** No session lasts longer, whatever its token says. */
  readonly lifetimeMs: number;
  /** Whose a token is; see `Upstreams`. */
  readonly callerOf: (token: string, waiting: Waiting, signal: AbortSignal) => Promise<CallerFacts>;
  readonly oidc: Pick<OidcIssuer, 'renew' | 'end'> | undefined;
  /** Told the hash of the key of a session that signs out. */
  readonly signedOut?: ((keyHash: string) => void) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** What a browser is told, and the `Set-Cookie` lines that go with it. */
export interface SessionAnswer {
  readonly view: SessionView;
  readonly cookies: readonly string[];
}

/** A token that ends sooner is renewed where that can be done. */
const renewBeforeMs = 60_000;

/** Who signed in. All of it is in the browser's sealed cookie: this only opens, makes and drops cookies, and asks whose tokens they hold. */
export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** The session of a request. Throws `unauthenticated` when there is none that is good now. */
  async require(headers: SessionHeaders): Promise<SealedSession> {
    const opened = await this.#options.cookie.open(headers);
    if (opened.kind === 'none') throw new StatusError('unauthenticated', 'nobody has signed in: sign in first');
    if (opened.kind === 'open' && endOf(opened.value) > this.#options.clock.now()) return requireKey(headers, opened.value);
    throw new StatusError('unauthenticated', 'your session has ended: sign in again');
  }

  /** Signs in with a token that an upstream takes. Throws `unauthenticated` when none does. */
  async open(
    headers: SessionHeaders,
    way: SignInWay,
    tokens: Pick<SealedSession, 'token' | 'refreshToken' | 'tokenEndsAt'>,
    signal: AbortSignal,
  ): Promise<SessionAnswer> {
    const { cookie, lifetimeMs, clock, random, log } = this.#options;
    const caller = await this.#options.callerOf(tokens.token, 'patiently', signal);
    const tokenEndsAt = tokens.tokenEndsAt ?? endOfToken(tokens.token);
    const { key, keyHash } = newSessionKey(random);
    const tokenLifetimeMs = tokenEndsAt && tokenEndsAt - clock.now();
    const session: SealedSession = { ...tokens, tokenEndsAt, tokenLifetimeMs, way, keyHash, endsAt: clock.now() + lifetimeMs };
    const cookies = await cookie.seal(headers, session, session.endsAt);
    log.info('somebody signed in', { name: caller.name, role: caller.role, way });
    return { view: { ...this.#view(session, caller), key }, cookies };
  }

  /** Whose a token is, without letting anybody in. */
  async check(token: string, signal: AbortSignal): Promise<SessionView> {
    const caller = await this.#options.callerOf(token, 'patiently', signal);
    return { kind: 'none', signIn: this.#options.ways, caller };
  }

  /** Who looks. A session whose token is about to end is renewed here, and nowhere else: pages ask this first, and again when they are refused. */
  async look(headers: SessionHeaders, signal: AbortSignal): Promise<SessionAnswer> {
    const { cookie, ways, clock } = this.#options;
    const opened = await cookie.open(headers);
    if (opened.kind === 'none') return { view: { kind: 'none', signIn: ways }, cookies: [] };
    if (opened.kind === 'unusable') return this.#ended();
    if (!isKeyShown(headers, opened.value.keyHash)) return { view: { kind: 'other', signIn: ways }, cookies: [] };
    try {
      const { session, cookies } = await this.#renewed(headers, opened.value);
      if (endOf(session) <= clock.now()) return this.#ended();
      return await this.#known(session, cookies, signal);
    } catch (thrown) {
      if (codeOf(thrown) === 'unauthenticated') return this.#ended(wordsOf(thrown));
      throw thrown;
    }
  }

  /** Signs out here, and at the issuer: `location` is where the browser does that. */
  async end(headers: SessionHeaders): Promise<{ readonly cookies: readonly string[]; readonly location?: string | undefined }> {
    const { cookie, oidc, signedOut, log } = this.#options;
    const opened = await cookie.open(headers);
    if (opened.kind === 'open') {
      const { keyHash } = requireKey(headers, opened.value);
      signedOut?.(keyHash);
    }
    const cookies = cookie.drop(headers);
    if (opened.kind !== 'open' || opened.value.way !== 'oidc' || oidc === undefined) return { cookies };
    try {
      return { cookies, location: await oidc.end(opened.value) };
    } catch (thrown) {
      // Whoever signs out is out here, also while the issuer is away.
      log.warn('the issuer was not told of a sign-out', { error: messageOf(thrown) });
      return { cookies };
    }
  }

  async #renewed(
    headers: SessionHeaders,
    session: SealedSession,
  ): Promise<{ readonly session: SealedSession; readonly cookies: readonly string[] }> {
    const { cookie, oidc, clock } = this.#options;
    const { refreshToken, tokenEndsAt, tokenLifetimeMs, endsAt } = session;
    const isDue = tokenEndsAt !== undefined && tokenEndsAt - renewBeforeMs <= clock.now() && endsAt > clock.now();
    if (!isDue || refreshToken === undefined || oidc === undefined) return { session, cookies: [] };
    try {
      const tokens = await oidc.renew(refreshToken);
      const assumed = tokenLifetimeMs && clock.now() + tokenLifetimeMs;
      const renewed = { ...session, ...tokens, tokenEndsAt: tokens.tokenEndsAt ?? endOfToken(tokens.token) ?? assumed };
      return { session: renewed, cookies: await cookie.seal(headers, renewed, endsAt) };
    } catch (thrown) {
      // While the issuer is away, what is there stays as good as it is.
      if (codeOf(thrown) === 'unavailable' && tokenEndsAt > clock.now()) return { session, cookies: [] };
      throw thrown;
    }
  }

  async #known(session: SealedSession, cookies: readonly string[], signal: AbortSignal): Promise<SessionAnswer> {
    try {
      return { view: this.#view(session, await this.#options.callerOf(session.token, 'briefly', signal)), cookies };
    } catch (thrown) {
      if (codeOf(thrown) !== 'unavailable') throw thrown;
      return { view: { ...this.#view(session, undefined), problem: wordsOf(thrown) }, cookies };
    }
  }

  #view(session: SealedSession, caller: CallerFacts | undefined): SessionView {
    // One that can be renewed lasts as long as sessions do.
    const endsAt = session.refreshToken === undefined ? endOf(session) : session.endsAt;
    const { ways, upstreams } = this.#options;
    return { kind: 'signed-in', signIn: ways, upstreams, way: session.way, endsAt, caller };
  }

  /** The cookie stays: by now the browser may have a newer one, of another tab, which the same line would take away. It ends by itself. */
  #ended(problem?: string): SessionAnswer {
    return { view: { kind: 'ended', signIn: this.#options.ways, problem }, cookies: [] };
  }
}

function requireKey(headers: SessionHeaders, session: SealedSession): SealedSession {
  if (isKeyShown(headers, session.keyHash)) return session;
  const message = 'this page is not of the session that the browser has now: load it again, or sign in again';
  throw new StatusError('unauthenticated', message, { details: { reason: sessionReplaced } });
}

/** Without its causes, which name addresses and are logged. */
const wordsOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : '');

/** What a token says of its own end; undefined for one that says nothing. Whether it is good is for the services to say. */
function endOfToken(token: string): number | undefined {
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? undefined : exp * 1000;
  } catch {
    return undefined;
  }
}
