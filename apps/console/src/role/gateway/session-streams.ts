import { StatusError } from '@quartermaster/kernel';

export interface HeldStream {
  /** Aborts when the session is signed out here. */
  readonly signal: AbortSignal;
  release(): void;
}

/** The streams that are open for each session: so many at most, and none after signing out. */
export class SessionStreams {
  readonly #most: number;
  readonly #open = new Map<string, Set<AbortController>>(); // hash of a session's key -> its streams

  constructor(most: number) {
    this.#most = most;
  }

  /** Throws `resource_exhausted` when the session has as many as it may. */
  hold(session: string): HeldStream {
    const open = this.#open.get(session) ?? new Set();
    if (open.size >= this.#most) throw new StatusError('resource_exhausted', `${this.#most} streams of your session are open: close one`);
    const ending = new AbortController();
    this.#open.set(session, open.add(ending));
    const release = (): void => {
      open.delete(ending);
      if (open.size === 0 && this.#open.get(session) === open) this.#open.delete(session);
    };
    return { signal: ending.signal, release };
  }

  end(session: string): void {
    for (const ending of this.#open.get(session) ?? []) ending.abort(new StatusError('unauthenticated', 'you have signed out'));
  }
}
