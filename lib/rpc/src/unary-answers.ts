import type { Message } from '@bufbuild/protobuf';
import { Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { type Log, messageOf, type StatusCode, StatusError } from '@quartermaster/kernel';
import type { CallRunner, IncomingCall } from './call-runner.ts';
import { detailsTrailer, encodeError, grpcText, retryAfterHeader, retryAfterText } from './error-details.ts';
import { callerCertificates } from './peer-certificate.ts';
import type { ServedMethod, ServedService } from './service-handlers.ts';

type Call = Parameters<ServerInterceptor>[1];
type UnaryMethod = Extract<ServedMethod, { kind: 'unary' }>;

/**
 * Answers the unary methods of services where their calls come in. What lies behind an interceptor makes a stream, three sets of metadata and a
 * generator for each call, which cost more than the rest of a short one. Everything else goes on to `others`.
 */
export function answerUnaryCalls(
  services: readonly ServedService[],
  runner: CallRunner,
  log: Log,
  others: ServerInterceptor,
): ServerInterceptor {
  const unary = services.flatMap(({ methods }) => methods.filter((method) => method.kind === 'unary'));
  const byPath = new Map(unary.map((method) => [method.path, method])); // `/package.Service/Method` -> method
  return (definition, call) => {
    const method = byPath.get(definition.path);
    if (method === undefined) return others(definition, call);
    // The listener of what lies behind is never told anything, so that nothing is done there.
    return new ServerInterceptingCall(call, { start: () => listen(call, method, runner, log) });
  };
}

function listen(call: Call, method: UnaryMethod, runner: CallRunner, log: Log): void {
  const gone = new AbortController();
  let metadata = new Metadata();
  let request: Message | undefined;
  let isAnswered = false;
  call.start({
    onReceiveMetadata: (received) => {
      metadata = received;
      call.startRead();
    },
    onReceiveMessage: (message: Message) => {
      if (request !== undefined) return fail(call, status.UNIMPLEMENTED, `${method.path} takes one message, but got a second one`);
      request = message;
      call.startRead();
    },
    onReceiveHalfClose: () => {
      if (request === undefined) return fail(call, status.UNIMPLEMENTED, `${method.path} takes one message, but got none`);
      const running = runner.unary(method, request, incoming(call, metadata, gone.signal)).finally(() => {
        isAnswered = true;
      });
      void answer(call, running, log);
    },
    // Also told when the call is over.
    onCancel: () => {
      if (!isAnswered) gone.abort();
    },
  });
}

async function answer(call: Call, running: Promise<Message>, log: Log): Promise<void> {
  try {
    const message = await running;
    call.sendMessage(message, () => call.sendStatus({ code: status.OK, details: 'OK', metadata: null }));
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) return fail(call, status.CANCELLED, 'the caller cancelled the call');
    // grpc-js has the numbers of the table under our own names.
    fail(call, status[thrown.code.toUpperCase() as Uppercase<StatusCode>], grpcText(thrown.message), trailerOf(thrown, log));
  }
}

function fail(call: Call, code: status, details: string, metadata: Metadata | null = null): void {
  call.sendStatus({ code, details, metadata });
}

function trailerOf(error: StatusError, log: Log): Metadata {
  const trailer = new Metadata();
  const retryAfter = retryAfterText(error);
  if (retryAfter !== undefined) trailer.set(retryAfterHeader, retryAfter);
  try {
    trailer.set(detailsTrailer, Buffer.from(encodeError(error)));
  } catch (cause) {
    log.warn('error details could not be sent', { error: messageOf(cause) });
  }
  return trailer;
}

function incoming(call: Call, metadata: Metadata, signal: AbortSignal): IncomingCall {
  return {
    transport: 'grpc',
    peer: call.getPeer(),
    ...callerCertificates(call),
    header: (name) => {
      const values = metadata.get(name).filter((value) => typeof value === 'string');
      return values.length === 0 ? undefined : values.join(', ');
    },
    signal,
  };
}
