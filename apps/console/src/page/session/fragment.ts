/** What the part of an address behind `#` says about signing in. */
export interface SignInFragment {
  /** Of a one-time link. */
  readonly code?: string | undefined;
  /** With what the issuer sent the browser back: `?code=…&state=…`. */
  readonly returned?: string | undefined;
}

/** Reads it, and removes it from the address and the history: a code that stays there would be copied along. */
export function takeFragment({ location, history }: Pick<Window, 'location' | 'history'>): SignInFragment {
  const said = new URLSearchParams(location.hash.slice(1));
  const code = said.get('code') ?? undefined;
  const returned = said.get('returned') ?? undefined;
  if (code !== undefined || returned !== undefined) history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return { code, returned };
}
