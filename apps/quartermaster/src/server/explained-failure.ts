import { StatusError } from '@quartermaster/kernel';
import { connectionProblem } from './connection-problem.ts';
import type { FoundServer } from './find-server.ts';
import { loginCommand, type ServerKind } from './servers.ts';

/**
 * What a person can do about a failed call, in one line: without what the transport says of the same thing. Answers of the server itself name
 * the way out already.
 */
export function explainedFailure(
  thrown: unknown,
  server: Pick<FoundServer, 'address' | 'tls' | 'token'>,
  kind: Pick<ServerKind, 'role' | 'what' | 'addressVariable' | 'hasLogins'>,
): unknown {
  if (!(thrown instanceof StatusError)) return thrown;
  const { what, addressVariable } = kind;
  const { address, token } = server;
  const { code, message, details } = thrown;
  if (message.startsWith('Name resolution failed')) {
    return new StatusError('unavailable', `${address} has a host name that cannot be resolved: name another server with --server ADDRESS`);
  }
  const said = /^No connection established\. Last error: (?:Error: )?(.*?)(?:\. Resolution note:.*)?$/s.exec(message)?.[1];
  if (said !== undefined) {
    const elsewhere = `start it, or name another with --server ADDRESS or ${addressVariable}`;
    const problem = connectionProblem(said, server);
    return new StatusError('unavailable', `no ${what} answers at ${address} (${problem.what}): ${problem.wayOut ?? elsewhere}`);
  }
  if (code === 'unauthenticated') {
    const hint = tokenHint(token !== undefined, kind);
    return new StatusError(code, hint === undefined || message.includes(hint) ? message : `${message}; ${hint}`, { details });
  }
  // Of its own failure only the server has more to say.
  if (code === 'internal') return new StatusError('unavailable', `${address}: ${message}`);
  return new StatusError(code, message, { details });
}

/** How to show a token, or another one than the server refuses; undefined where that is not in the hands of whoever asks. */
function tokenHint(hasToken: boolean, kind: Pick<ServerKind, 'role' | 'hasLogins'>): string | undefined {
  if (!kind.hasLogins) return hasToken ? undefined : 'a token is given with --token-file';
  return hasToken
    ? `log in again with \`${loginCommand(kind)}\``
    : `log in with \`${loginCommand(kind)}\`, or give a token with --token-file`;
}
