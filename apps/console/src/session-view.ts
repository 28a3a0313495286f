import type { CallerFacts } from './console-session.ts';

/**
 * Below it: `POST /oidc` begins the flow of the issuer, which sends the browser to `GET /oidc/callback` and so to the page, and that ends it with
 * `POST /oidc/callback`. `POST /links` makes a one-time link.
 */
export const linksPath = '/api/session/links';
export const oidcPath = '/api/session/oidc';
export const oidcCallbackPath = '/api/session/oidc/callback';

export const signInWays = ['oidc', 'token', 'link'] as const;
/** `oidc`: at an issuer of OpenID Connect. `token`: by pasting one. `link`: by a one-time code. */
export type SignInWay = (typeof signInWays)[number];

/** What `GET /api/session` says, and a sign-in. */
export interface SessionView {
  /** `none`: nobody signed in. `ended`: somebody had. `other`: somebody has, whose key this page does not have. */
  readonly kind: 'none' | 'ended' | 'other' | 'signed-in';
  /** How one may sign in here. */
  readonly signIn: readonly SignInWay[];
  /** Of somebody who signed in: names of the servers that the console asks, whether or not they answer now. */
  readonly upstreams?: readonly string[] | undefined;
  /** Of a sign-in, told once: what every request has to show in the header of the console. */
  readonly key?: string | undefined;
  /** How it was done. */
  readonly way?: SignInWay | undefined;
  /** When it ends, in milliseconds since the epoch; a session of an issuer may be renewed until then by asking for it again. */
  readonly endsAt?: number | undefined;
  /** Undefined while no service says who it is. */
  readonly caller?: CallerFacts | undefined;
  /** Why there is no caller. */
  readonly problem?: string | undefined;
}

/** For programs: the cookie is of a sign-in other than that whose key was shown. */
export const sessionReplaced = 'SESSION_REPLACED';

/** What the page sends to go to the issuer, and to end the flow when it is back. */
export interface FlowBegun {
  readonly location: string;
  /** Shown in the header of the console when the flow is ended: only the page that began it can do so. */
  readonly key: string;
}
export interface FlowEnded extends SessionView {
  /** Where the page was. */
  readonly returnTo: string;
}

/** The reason of the error where the issuer sent a browser back without success. */
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
