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
  /** How to come by another one than the server refuses; undefined where that is not in the hands of whoever asks. */
  readonly renewHint?: string;
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
  if (code === 'unauthenticated') {
    const hint = token === undefined ? words.tokenHint : words.renewHint;
    return new StatusError(code, hint === undefined || message.includes(hint) ? message : `${message}; ${hint}`, { details });
  }
  // Of its own failure only the server has more to say.
  if (code === 'internal') return new StatusError('unavailable', `${address}: ${message}`);
  return new StatusError(code, message, { details });
}
