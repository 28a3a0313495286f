import type { CallerFacts } from './console-session.ts';

/** Below it: `POST /oidc` begins the flow of the issuer, `GET /oidc/callback` ends it, `POST /links` makes a one-time link. */
export const linksPath = '/api/session/links';
export const oidcPath = '/api/session/oidc';
export const oidcCallbackPath = '/api/session/oidc/callback';

export const signInWays = ['oidc', 'token', 'link'] as const;
/** `oidc`: at an issuer of OpenID Connect. `token`: by pasting one. `link`: by a one-time code. */
export type SignInWay = (typeof signInWays)[number];

/** What `GET /api/session` says, and a sign-in. */
export interface SessionView {
  /** `none`: nobody signed in. `ended`: somebody had. */
  readonly kind: 'none' | 'ended' | 'signed-in';
  /** How one may sign in here. */
  readonly signIn: readonly SignInWay[];
  /** How it was done. */
  readonly way?: SignInWay | undefined;
  /** When it ends, in milliseconds since the epoch; a session of an issuer may be renewed until then by asking for it again. */
  readonly endsAt?: number | undefined;
  /** Undefined while no service says who it is. */
  readonly caller?: CallerFacts | undefined;
  /** Why there is no caller. */
  readonly problem?: string | undefined;
}

/** What `#sign-in=…` of the page says after the issuer sent a browser back without success. */
export const signInProblems = ['refused', 'expired', 'unknown', 'unavailable'] as const;
/** `refused`: the issuer said no. `expired`: it was begun too long ago, or elsewhere. `unknown`: no service knows the caller. `unavailable`: none could be asked. */
export type SignInProblem = (typeof signInProblems)[number];

/** The state of a server that the console asks. */
export interface UpstreamView {
  readonly name: string;
  readonly state: 'ready' | 'failed' | 'away';
  /** Of a state other than ready, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly reason?: string | undefined;
}
