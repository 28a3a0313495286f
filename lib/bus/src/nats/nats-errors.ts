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

interface Classification {
  readonly code: StatusCode;
  readonly hint?: string | undefined;
}

/** Also said while a server starts, or of a stream that is not there yet: trying again may help. */
const noJetStream: Classification = {
  code: 'unavailable',
  hint: 'start the server with JetStream (nats-server -js), and enable it for the account',
};

function classify(thrown: unknown): Classification {
  if (thrown instanceof errors.AuthorizationError || thrown instanceof errors.UserAuthenticationExpiredError) {
    return { code: 'unauthenticated', hint: 'check the user and password, or the token, of the bus' };
  }
  if (thrown instanceof errors.PermissionViolationError) {
    return { code: 'permission_denied', hint: `allow this user to ${thrown.operation === 'publish' ? 'publish to' : 'subscribe to'} it` };
  }
  if (thrown instanceof errors.InvalidArgumentError) {
    return { code: 'invalid_argument', hint: 'the bus needs a server with max_payload of at least 1 MiB' };
  }
  if (thrown instanceof Error && thrown.name === 'JetStreamNotEnabled') return noJetStream;
  if (thrown instanceof JetStreamApiError) return classifyRefusal(thrown);
  if (isCertificateProblem(thrown)) return { code: 'failed_precondition', hint: "check tls.ca and the server's certificate" };
  if (isConnectionProblem(thrown)) return { code: 'unavailable' };
  return { code: 'internal' };
}

function classifyRefusal(error: JetStreamApiError): Classification {
  if (error.code === jetStreamCodes.notEnabled || error.code === jetStreamCodes.notEnabledForAccount) return noJetStream;
  if (error.code === jetStreamCodes.maxMessagesExceeded || error.status === 503 || error.status === 404) return { code: 'unavailable' };
  return { code: 'failed_precondition' };
}

/** What Node's TLS says of a certificate that it does not trust. The client wraps it. */
function isCertificateProblem(thrown: unknown): boolean {
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) {
    if ('code' in error && typeof error.code === 'string' && /CERT|SIGNATURE|^ERR_TLS/.test(error.code)) return true;
  }
  return false;
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
