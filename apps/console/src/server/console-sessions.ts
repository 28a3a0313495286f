import { randomBytes } from 'node:crypto';

/** Somebody who signed in. */
export interface ConsoleSession {
  readonly token: string;
  readonly name: string;
  readonly role: string;
}

/** Who asks: nobody signed in, somebody did, or somebody had and this server has forgotten it. */
export type SessionState =
  | { readonly kind: 'local' }
  | { readonly kind: 'token'; readonly id: string; readonly session: ConsoleSession }
  | { readonly kind: 'ended' };

/** Whoever signs in more often than this is forgotten again, the oldest first. */
const maxSessions = 1_000;

/**
 * Who signed in at this console. The token stays here: the browser has only a name for it, in a cookie that its scripts cannot
 * read. A cookie that this server does not know is a session that ended, and never somebody with more rights.
 */
export class ConsoleSessions {
  readonly #sessions = new Map<string, ConsoleSession>(); // id -> session

  open(session: ConsoleSession): string {
    const id = randomBytes(24).toString('base64url');
    this.#sessions.set(id, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > maxSessions && oldest !== undefined) this.#sessions.delete(oldest);
    return id;
  }

  close(id: string): void {
    this.#sessions.delete(id);
  }

  /** Who the headers of a request speak for. */
  stateOf(headers: { readonly host?: string | undefined; readonly cookie?: string | undefined }): SessionState {
    const id = cookieOf(headers.cookie, cookieName(headers.host));
    if (id === undefined) return { kind: 'local' };
    const session = this.#sessions.get(id);
    return session === undefined ? { kind: 'ended' } : { kind: 'token', id, session };
  }
}

/** Cookies know no ports: each console of a machine has a name of its own. */
const cookieName = (host: string | undefined): string => `quartermaster-session-${/:(\d+)$/.exec(host ?? '')?.[1] ?? '80'}`;

/** The header that keeps a session, or with no id ends it. */
export function sessionCookie(host: string | undefined, id: string | undefined): string {
  const value = id === undefined ? '; Max-Age=0' : '';
  return `${cookieName(host)}=${id ?? ''}; Path=/; HttpOnly; SameSite=Strict${value}`;
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, ...value] = pair.split('=');
    if (key?.trim() === name) return value.join('=').trim();
  }
  return undefined;
}
