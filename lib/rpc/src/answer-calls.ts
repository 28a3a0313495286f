/**
 * Answers calls where they come in. What lies behind an interceptor makes a stream, three sets of metadata and a generator for each call, which cost more than the rest of a
 * short one, and it reads a request before anybody asks whose it is. Here the headers come first: nothing of a request is read before its caller is admitted, nor kept
 * once its call is over.
 */
import type { Message } from '@bufbuild/protobuf';
import { Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { type Clock, type Log, messageOf, type StatusCode, StatusError } from '@quartermaster/kernel';
import type { Caller } from './authentication.ts';
import { CancelledCall, type IncomingCall, type ReadRequest } from './call-runner.ts';
import { detailsTrailer, encodeError, grpcText, retryAfterHeader, retryAfterText } from './error-details.ts';
import { streamOf } from './peer-certificate.ts';

type Call = Parameters<ServerInterceptor>[1];

/** Answers a call with one message, or with a stream of them. */
export type Answer = (call: IncomingCall, read: ReadRequest) => Promise<Message> | AsyncIterable<Message>;

export interface AnswerParts {
  readonly certificatesOf: (call: Call) => Pick<Caller, 'certificate' | 'ownCertificate'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** From when a caller is admitted until it has sent its request. */
const arrivalMs = 30_000;

/** By `/package.Service/Method`. All other calls go on. */
export function answerCalls(answers: ReadonlyMap<string, Answer>, parts: AnswerParts): ServerInterceptor {
  return ({ path }, call) => {
    const answer = answers.get(path);
    // The listener of what lies behind is never told anything, so that nothing is done there.
    return new ServerInterceptingCall(call, answer === undefined ? undefined : { start: () => listen(call, path, answer, parts) });
  };
}

function listen(call: Call, path: string, answer: Answer, { certificatesOf, clock, log }: AnswerParts): void {
  const gone = new AbortController();
  const arrived = Promise.withResolvers<Message>();
  // Nobody waits for the request of a caller that was not admitted.
  arrived.promise.catch(() => {});
  let request: Message | undefined;
  let state: 'unread' | 'reading' | 'running' | 'answered' = 'unread';
  const read = async (): Promise<Message> => {
    const cancel = clock.schedule(arrivalMs, () =>
      arrived.reject(new StatusError('unavailable', `the request did not arrive within ${arrivalMs / 1000} s: send it again`)),
    );
    state = 'reading';
    call.startRead();
    return await arrived.promise.finally(cancel);
  };
  const takesOne = (got: string): void => end(call, status.UNIMPLEMENTED, `${path} takes one message, but got ${got}`);
  const run = async (metadata: Metadata): Promise<void> => {
    const finish = await send(call, () => answer(incoming(call, certificatesOf(call), metadata, gone.signal), read), gone.signal).catch(
      (thrown: unknown) => () => fail(call, thrown, log),
    );
    if (state !== 'reading') state = 'answered';
    finish();
  };
  call.start({
    onReceiveMetadata: (metadata) => void run(metadata),
    onReceiveMessage: (message: Message) => {
      if (request !== undefined) return takesOne('a second one');
      request = message;
      call.startRead();
    },
    onReceiveHalfClose: () => {
      if (request === undefined) return takesOne('none');
      state = 'running';
      arrived.resolve(request);
    },
    // Also told when the call is over.
    onCancel: () => {
      // What has arrived would be kept until the caller, who was told, sends the rest.
      if (state === 'reading') streamOf(call)?.close();
      if (state !== 'answered') gone.abort();
      arrived.reject(new CancelledCall());
    },
  });
}

/** Returns what says how it ended. */
async function send(call: Call, ask: () => ReturnType<Answer>, signal: AbortSignal): Promise<() => void> {
  const answers = ask();
  if (!(Symbol.asyncIterator in answers)) {
    const message = await answers;
    return () => call.sendMessage(message, () => end(call, status.OK, 'OK'));
  }
  for await (const message of answers) {
    await sent(call, message, signal);
    if (signal.aborted) throw new CancelledCall();
  }
  return () => end(call, status.OK, 'OK');
}

/** Resolves when the caller takes more, or has gone. */
function sent(call: Call, message: Message, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    call.sendMessage(message, done);
  });
}

function fail(call: Call, thrown: unknown, log: Log): void {
  if (!(thrown instanceof StatusError)) return end(call, status.CANCELLED, 'the caller cancelled the call');
  // grpc-js has the numbers of the table under our own names.
  end(call, status[thrown.code.toUpperCase() as Uppercase<StatusCode>], grpcText(thrown.message), trailerOf(thrown, log));
}

function end(call: Call, code: status, details: string, metadata: Metadata | null = null): void {
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

function incoming(
  call: Call,
  certificates: ReturnType<AnswerParts['certificatesOf']>,
  metadata: Metadata,
  signal: AbortSignal,
): IncomingCall {
  return {
    transport: 'grpc',
    peer: call.getPeer(),
    ...certificates,
    header: (name) => {
      const values = metadata.get(name).filter((value) => typeof value === 'string');
      return values.length === 0 ? undefined : values.join(', ');
    },
    signal,
  };
}
