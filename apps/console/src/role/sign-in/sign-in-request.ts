import { StatusError } from '@quartermaster/kernel';
import * as z from 'zod';

const credential = z.union([z.object({ code: z.string().min(1).max(200) }), z.object({ token: z.unknown() })]);
export type Credential = { readonly code: string } | { readonly token: unknown };

/** What somebody signs in with: a token or the code of a link. */
export function credentialIn(body: unknown): Credential {
  const { data } = credential.safeParse(jsonIn(body));
  if (data !== undefined) return 'code' in data ? data : { token: data.token };
  throw new StatusError('invalid_argument', 'the body must be {"token": "…"} or {"code": "…"}');
}

export function tokenIn(token: unknown): string {
  // A header takes no other characters, and no token has them.
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token.trim())) return token.trim();
  throw new StatusError('invalid_argument', 'token: paste one word of letters, digits, dots, dashes and underscores, without line breaks');
}

/** A view of the console to come back to; its first page unless the body names one. Never another site, and nothing of the API. */
export function returnPathIn(body: unknown): string {
  const { data } = z.object({ returnTo: z.string() }).safeParse(jsonIn(body));
  const path = data?.returnTo ?? '/';
  return /^\/(?![/\\])[\x21-\x7e]{0,1999}$/.test(path) && !path.startsWith('/api/') ? path : '/';
}

/** With what the issuer sent the browser back: `?code=…&state=…`. */
export function queryIn(body: unknown): string {
  const { data } = z.object({ query: z.string().regex(/^\?[\x21-\x7e]*$/) }).safeParse(jsonIn(body));
  if (data !== undefined) return data.query;
  throw new StatusError('invalid_argument', 'the body must be {"query": "?…"}, as the issuer sent it');
}

function jsonIn(body: unknown): unknown {
  try {
    return JSON.parse(Buffer.from(body as Uint8Array).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
