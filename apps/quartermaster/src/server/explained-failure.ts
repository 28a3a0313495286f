import { StatusError } from '@quartermaster/kernel';
import { connectionProblem } from './connection-problem.ts';
import type { RpcServerAccess } from './rpc-server-access.ts';

export interface ServerWords {
  /** What was asked: `inventory`. */
  readonly what: string;
  /** What to do when it is not there: `start one, or …`. */
  readonly elsewhere: string;
  /** How to show a token. */
  readonly tokenHint: string;
}

/**
 * What a person can do about a failed call, in one line: without what the transport says of the same thing. Answers of the server itself name
 * the way out already.
 */
export function explainedFailure(thrown: unknown, server: RpcServerAccess, words: ServerWords): unknown {
  if (!(thrown instanceof StatusError)) return thrown;
  const { address, token } = server;
  const { code, message, details } = thrown;
  if (message.startsWith('Name resolution failed')) {
    return new StatusError('unavailable', `${address} has a name that nobody knows: name another with --server HOST:PORT`);
  }
  const said = /^No connection established\. Last error: (?:Error: )?(.*?)(?:\. Resolution note:.*)?$/s.exec(message)?.[1];
  if (said !== undefined) {
    const { what, wayOut = words.elsewhere } = connectionProblem(said, server);
    return new StatusError('unavailable', `no ${words.what} answers at ${address} (${what}): ${wayOut}`);
  }
  if (code === 'unauthenticated' && token === undefined) return new StatusError(code, `${message}; ${words.tokenHint}`);
  // Of its own failure only the server has more to say.
  if (code === 'internal') return new StatusError('unavailable', `${address}: ${message}`);
  return new StatusError(code, message, { details });
}
