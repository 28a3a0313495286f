import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { messageOf, type StatusCode, StatusError } from '@quartermaster/kernel';

/** Codes of JetStream's own errors that we act on. */
export const jetStreamCodes = {
  maxMessagesExceeded: 10_077,
  streamNameInUse: 10_058,
  notEnabled: 10_076,
  notEnabledForAccount: 10_039,
} as const;

/** A failure of the server or of the way to it as a StatusError, with what was being done. Its text holds no credential. */
export function natsError(thrown: unknown, doing: string): StatusError {
  if (thrown instanceof StatusError) return thrown;
  const { code, hint } = classify(thrown);
  return new StatusError(code, `cannot ${doing} on NATS: ${messageOf(thrown)}${hint === undefined ? '' : `; ${hint}`}`, { cause: thrown });
}

/** The code of a JetStream refusal. */
export function jetStreamCode(thrown: unknown): number | undefined {
  return thrown instanceof JetStreamApiError ? thrown.code : undefined;
}

function classify(thrown: unknown): { readonly code: StatusCode; readonly hint?: string } {
  if (thrown instanceof errors.AuthorizationError || thrown instanceof errors.UserAuthenticationExpiredError) {
    return { code: 'unauthenticated', hint: 'check the user and password, or the token, of the bus' };
  }
  if (thrown instanceof errors.PermissionViolationError) {
    return { code: 'permission_denied', hint: `allow this user to ${thrown.operation === 'publish' ? 'publish to' : 'subscribe to'} it` };
  }
  if (thrown instanceof JetStreamApiError) return classifyRefusal(thrown);
  if (isConnectionProblem(thrown)) return { code: 'unavailable' };
  return { code: 'internal' };
}

function classifyRefusal(error: JetStreamApiError): { readonly code: StatusCode; readonly hint?: string } {
  if (error.code === jetStreamCodes.notEnabled || error.code === jetStreamCodes.notEnabledForAccount) {
    return { code: 'failed_precondition', hint: 'start the server with JetStream (nats-server -js), and enable it for the account' };
  }
  if (error.code === jetStreamCodes.maxMessagesExceeded || error.status === 503 || error.status === 404) return { code: 'unavailable' };
  return { code: 'failed_precondition' };
}

function isConnectionProblem(thrown: unknown): boolean {
  const classes = [
    errors.ConnectionError,
    errors.TimeoutError,
    errors.NoRespondersError,
    errors.RequestError,
    errors.ClosedConnectionError,
    errors.DrainingConnectionError,
    errors.ProtocolError,
  ];
  if (classes.some((each) => thrown instanceof each)) return true;
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && /^E[A-Z]+$/.test(thrown.code);
}
