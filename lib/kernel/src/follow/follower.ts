import { Backoff, type BackoffOptions } from '../backoff.ts';
import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';
import { StatusError } from '../status-error.ts';
import type { FollowState, FollowStatus, FollowVerdict } from './follow-status.ts';
import type { Watch } from './watch.ts';

export interface FollowerOptions<Message, Token> {
  readonly watch: Watch<Message, Token>;
  /**
   * Reads everything there is. Called when a stream that began without a token has said its first word, so that nothing that happens while
   * it reads is missed. Absent where the stream itself begins with everything, or where only what happens counts.
   */
  readonly list?: ((signal: AbortSignal) => Promise<void> | void) | undefined;
  /**
   * Takes what the stream said, in order: one message, or all that came while the messages before them were being taken. Throws to end the stream
   * and hear them again. Messages may come twice, never not at all.
   */
  readonly take: (messages: readonly Message[], signal: AbortSignal) => Promise<void> | void;
  /** Where to go on after the message; undefined: where the message before it said. */
  readonly tokenOf?: ((message: Message) => Token | undefined) | undefined;
  /** Where the first stream begins. */
  readonly from?: Token | undefined;
  /** `status` is that of before the error. Default: `resume`, whatever it is. */
  readonly judge?: ((error: unknown, status: FollowStatus) => FollowVerdict) | undefined;
  /** A stream that says nothing for so long is taken for broken. Default: no limit. */
  readonly silenceMs?: number | undefined;
  readonly backoff: BackoffOptions;
  readonly clock: Clock;
  readonly random: Random;
  /** Called after everything that was taken or heard, and after every break; not by `start` and `stop`. Must not throw. */
  readonly changed?: (() => void) | undefined;
}

/** One stream, until it ends. */
interface Attempt<Message> {
  readonly waiting: Message[];
  readonly ending: AbortController;
  mustList: boolean;
  isBusy: boolean;
  close: () => void | Promise<void>;
}

/**
 * Follows a stream over all its breaks: opens it, takes what it says, and opens it again where it ended, with growing, jittered waits. A wait
 * starts small again only when a stream has spoken and what it said was taken. Signals that `list` and `take` are given abort when their stream is
 * over: what they read is then of no use any more and must not be kept.
 */
export class Follower<Message, Token = never> {
  readonly #options: FollowerOptions<Message, Token>;
  readonly #backoff: Backoff;
  #state: FollowState = { kind: 'stopped', error: undefined };
  #heardAt: number | undefined;
  #token: Token | undefined;
  #attempt: Attempt<Message> | undefined;
  #cancelTimer: () => void = () => {};
  /** Of the stream that was closed last. */
  #closing: Promise<void> | void = undefined;
  #gaveUp: (error: unknown) => void = () => {};

  constructor(options: FollowerOptions<Message, Token>) {
    this.#options = options;
    this.#backoff = new Backoff(options.backoff, options.random);
    this.#token = options.from;
  }

  status(): FollowStatus {
    return { state: this.#state, heardAt: this.#heardAt };
  }

  /** Follows until stopped, from the last token on. Nothing happens when it already does. */
  start(): void {
    if (this.#state.kind !== 'stopped') return;
    this.#state = { kind: 'connecting' };
    this.#open();
  }

  /** Resolves when the stream is closed. */
  async stop(): Promise<void> {
    this.#drop();
    if (this.#state.kind !== 'stopped') this.#state = { kind: 'stopped', error: undefined };
    await this.#closing;
  }

  /** Follows until the signal aborts. Throws what `judge` calls `fail`. */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#gaveUp = reject;
    const end = (): void => resolve();
    signal.addEventListener('abort', end, { once: true });
    this.start();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', end);
      await this.stop();
    }
  }

  /** Tries at once instead of after the wait. */
  reconnectNow(): void {
    if (this.#state.kind === 'reconnecting') this.#reopen();
  }

  /** Replaces the stream by one that is opened now, since it should be about something else. After a break, the next one will be. */
  reopen(): void {
    if (this.#attempt !== undefined) this.#reopen();
  }

  /** What is known no longer holds: everything is listed before the next message is taken. */
  forget(): void {
    this.#token = undefined;
    if (this.#state.kind === 'following') this.#state = { kind: 'connecting' };
    if (this.#attempt !== undefined) this.#attempt.mustList = this.#options.list !== undefined;
  }

  #reopen(): void {
    this.#drop();
    this.#open();
  }

  #open(): void {
    const mustList = this.#options.list !== undefined && this.#token === undefined;
    const attempt: Attempt<Message> = { waiting: [], ending: new AbortController(), mustList, isBusy: false, close: () => {} };
    this.#attempt = attempt;
    this.#expectSound(attempt);
    try {
      const close = this.#options.watch(this.#token, {
        message: (message) => this.#hear(attempt, message),
        sound: () => this.#sound(attempt),
        ended: (error) => this.#ended(attempt, error),
      });
      if (this.#attempt === attempt) attempt.close = close;
      else this.#closing = close();
    } catch (thrown) {
      this.#ended(attempt, thrown);
    }
  }

  #hear(attempt: Attempt<Message>, message: Message): void {
    if (attempt !== this.#attempt) return;
    this.#expectSound(attempt);
    attempt.waiting.push(message);
    this.#next(attempt);
  }

  #sound(attempt: Attempt<Message>): void {
    if (attempt !== this.#attempt) return;
    this.#expectSound(attempt);
    this.#confirm(attempt);
  }

  /** Lists, or takes what waits; one at a time. What needs no waiting is done before this returns. */
  #next(attempt: Attempt<Message>): void {
    if (attempt.isBusy || attempt.waiting.length === 0) return;
    const { list, take } = this.#options;
    const { signal } = attempt.ending;
    if (attempt.mustList && list !== undefined) {
      const first = attempt.waiting.slice(0, 1);
      attempt.mustList = false;
      this.#step(
        attempt,
        () => list(signal),
        () => this.#goOnAfter(attempt, first),
      );
      return;
    }
    const messages = attempt.waiting.splice(0);
    this.#step(
      attempt,
      () => take(messages, signal),
      () => {
        this.#goOnAfter(attempt, messages);
        this.#confirm(attempt);
      },
    );
  }

  #step(attempt: Attempt<Message>, work: () => Promise<void> | void, then: () => void): void {
    attempt.isBusy = true;
    const finish = (): void => {
      if (attempt !== this.#attempt) return;
      attempt.isBusy = false;
      then();
      this.#next(attempt);
    };
    let working: Promise<void> | void;
    try {
      working = work();
    } catch (thrown) {
      this.#ended(attempt, thrown);
      return;
    }
    if (working === undefined) finish();
    else working.then(finish, (thrown: unknown) => this.#ended(attempt, thrown));
  }

  #goOnAfter({ mustList }: Attempt<Message>, messages: readonly Message[]): void {
    if (mustList) return;
    for (const message of messages) this.#token = this.#options.tokenOf?.(message) ?? this.#token;
  }

  #confirm(attempt: Attempt<Message>): void {
    this.#heardAt = this.#options.clock.now();
    if (!attempt.mustList && !attempt.isBusy) {
      this.#backoff.reset();
      this.#state = { kind: 'following' };
    }
    this.#options.changed?.();
  }

  #ended(attempt: Attempt<Message>, error: unknown): void {
    if (attempt !== this.#attempt) return;
    const { judge, clock, changed } = this.#options;
    const verdict = error === undefined || judge === undefined ? 'resume' : judge(error, this.status());
    this.#drop();
    if (verdict === 'fail') {
      this.#state = { kind: 'stopped', error };
      this.#gaveUp(error);
      return;
    }
    if (verdict === 'restart') this.#token = undefined;
    const waitMs = this.#backoff.nextMs();
    const now = clock.now();
    const since = this.#state.kind === 'reconnecting' ? this.#state.since : now;
    this.#state = { kind: 'reconnecting', since, retryAt: now + waitMs, error };
    this.#cancelTimer = clock.schedule(waitMs, () => this.#open());
    changed?.();
  }

  #expectSound(attempt: Attempt<Message>): void {
    const { silenceMs, clock } = this.#options;
    if (silenceMs === undefined) return;
    this.#cancelTimer();
    const tooLong = (): StatusError => new StatusError('unavailable', `no message received for ${silenceMs / 1000} s`);
    this.#cancelTimer = clock.schedule(silenceMs, () => this.#ended(attempt, tooLong()));
  }

  #drop(): void {
    this.#cancelTimer();
    const attempt = this.#attempt;
    this.#attempt = undefined;
    if (attempt === undefined) return;
    attempt.ending.abort();
    this.#closing = attempt.close();
  }
}
