import { type BackoffOptions, type Watch, watchOf } from '@quartermaster/kernel';

interface Connection {
  /** A failure as a person can act on it. */
  explained(thrown: unknown): unknown;
  close(): void;
}

export const reconnectBackoff: BackoffOptions = { firstMs: 250, maxMs: 5_000, factor: 2 };

/** A watch with a new connection for every stream, so that a server that moved is found. `connect` may throw. */
export function watchConnections<C extends Connection, Message, Token>(
  connect: () => C,
  iterate: (connection: C, from: Token | undefined, signal: AbortSignal) => AsyncIterable<Message>,
): Watch<Message, Token> {
  return watchOf(async function* (from: Token | undefined, signal: AbortSignal) {
    const connection = connect();
    try {
      yield* iterate(connection, from, signal);
    } catch (thrown) {
      throw connection.explained(thrown);
    } finally {
      connection.close();
    }
  });
}
