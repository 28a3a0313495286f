import { StatusError } from '@quartermaster/kernel';
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
export function explainedFailure(thrown: unknown, { address, token }: RpcServerAccess, words: ServerWords): unknown {
  if (!(thrown instanceof StatusError)) return thrown;
  const { code, message, details } = thrown;
  if (message.startsWith('Name resolution failed')) {
    return new StatusError('unavailable', `${address} has a name that nobody knows: name another with --server HOST:PORT`);
  }
  const problem = /^No connection established\. Last error: (?:Error: )?(.*?)(?:\. Resolution note:.*)?$/s.exec(message)?.[1];
  if (problem !== undefined) {
    const wayOut = /certificate|altname|self.signed|issuer/i.test(problem)
      ? 'give the authority that signed it with --ca-file, or the name that it has with --tls-server-name'
      : words.elsewhere;
    return new StatusError('unavailable', `no ${words.what} answers at ${address} (${problem}): ${wayOut}`);
  }
  if (code === 'unauthenticated' && token === undefined) return new StatusError(code, `${message}; ${words.tokenHint}`);
  // Of its own failure only the server has more to say.
  if (code === 'internal') return new StatusError('unavailable', `${address}: ${message}`);
  return new StatusError(code, message, { details });
}
