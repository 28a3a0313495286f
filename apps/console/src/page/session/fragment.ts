import { type SignInProblem, signInProblems } from '../../session-view.ts';

/** What the part of an address behind `#` says about signing in. */
export interface SignInFragment {
  /** Of a one-time link. */
  readonly code?: string | undefined;
  /** Why the issuer's answer came to nothing. */
  readonly problem?: SignInProblem | undefined;
}

/** Reads it, and removes it from the address and the history: a code that stays there would be copied along. */
export function takeFragment({ location, history }: Pick<Window, 'location' | 'history'>): SignInFragment {
  const said = new URLSearchParams(location.hash.slice(1));
  const code = said.get('code') ?? undefined;
  const problem = signInProblems.find((each) => each === said.get('sign-in'));
  if (code !== undefined || problem !== undefined) history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return { code, problem };
}
