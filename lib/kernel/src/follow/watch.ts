/** What a stream tells whoever opened it. Nothing is heard any more after `ended`, or once the stream was closed. */
export interface WatchEvents<Message> {
  readonly message: (message: Message) => void;
  /** The other side lives, though it has nothing to say. */
  readonly sound: () => void;
  /** Without an error: the other side ended it in order. */
  readonly ended: (error?: unknown) => void;
}

/** Opens a stream of what comes after the token, or from now on. The returned function closes it, also after it ended. */
export type Watch<Message, Token> = (from: Token | undefined, on: WatchEvents<Message>) => () => void | Promise<void>;

/** A watch made of an iterable, which must end soon after its signal aborts. Closing it resolves when it has ended. */
export function watchOf<Message, Token>(
  iterate: (from: Token | undefined, signal: AbortSignal) => AsyncIterable<Message>,
): Watch<Message, Token> {
  return (from, on) => {
    const closing = new AbortController();
    const follow = async (): Promise<void> => {
      try {
        for await (const message of iterate(from, closing.signal)) {
          if (closing.signal.aborted) return;
          on.message(message);
        }
        on.ended();
      } catch (thrown) {
        on.ended(thrown);
      }
    };
    const finished = follow();
    return async () => {
      closing.abort();
      await finished;
    };
  };
}
