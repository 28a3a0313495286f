import { create, type DescMessage, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import { bearerOf, type Clock, type Log, type StatusCode, StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import { type Authenticate, type Caller, type Identity, type PeerCertificate, trustEveryone } from './authentication.ts';
import type { CallLimits } from './call-limits.ts';
import { applyDryRun } from './dry-run.ts';
import { checkReadable } from './service-definition.ts';
import type { CallContext, ServedMethod } from './service-handlers.ts';
import type { StreamLimits } from './stream-limits.ts';

/** A call as a transport received it. */
export interface IncomingCall {
  readonly transport: 'grpc' | 'rest';
  readonly peer: string;
  readonly certificate: PeerCertificate | undefined;
  readonly ownCertificate?: PeerCertificate | undefined;
  header(name: string): string | undefined;
  readonly signal: AbortSignal;
}

/** Reads what is asked for: nothing of it is read before its caller is admitted. */
export type ReadRequest = () => Promise<Message>;

/** For logs and metrics. */
export interface FinishedCall {
  readonly method: string;
  readonly transport: 'grpc' | 'rest';
  readonly outcome: 'ok' | 'cancelled' | StatusCode;
  readonly durationMs: number;
  /** Messages that were sent. */
  readonly messages: number;
  readonly identity: Identity | undefined;
}

/** What runs work as part of the trace that the headers of a call name; undefined when they name none. */
export type TraceOf = (header: (name: string) => string | undefined) => (<T>(work: () => T) => T) | undefined;

export interface CallRunnerOptions {
  readonly authenticate?: Authenticate | undefined;
  /** How often each caller may call; servers that share it count together. Default: as often as it likes. */
  readonly limits?: CallLimits | undefined;
  /** How many streams each caller may have open; servers that share it count together. Default: as many as it likes. */
  readonly streams?: StreamLimits | undefined;
  /** For everything that is done for a call, its log lines too. Default: calls are in no trace. */
  readonly traceOf?: TraceOf | undefined;
  readonly onCall?: ((call: FinishedCall) => void) | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/** The caller went away: nobody reads an answer any more. */
export class CancelledCall extends Error {
  constructor() {
    super('the caller cancelled the call');
    this.name = 'AbortError';
  }
}

/**
 * What every call goes through, whatever it came in by: who is it, may it, run it, tell what became of it. Throws StatusErrors, whose text is
 * fit for the caller, and CancelledCall.
 */
export class CallRunner {
  readonly #authenticate: Authenticate;
  readonly #limits: CallLimits | undefined;
  readonly #streams: StreamLimits | undefined;
  readonly #traceOf: TraceOf;
  readonly #onCall: (call: FinishedCall) => void;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stopping = new AbortController();

  constructor(options: CallRunnerOptions) {
    this.#authenticate = options.authenticate ?? trustEveryone;
    this.#limits = options.limits;
    this.#streams = options.streams;
    this.#traceOf = options.traceOf ?? (() => undefined);
    this.#onCall = options.onCall ?? (() => {});
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLog;
  }

  /** Ends the streams, which would never end by themselves. */
  endStreams(): void {
    this.#stopping.abort(new StatusError('unavailable', 'the server is stopping: connect again'));
  }

  async unary(method: ServedMethod, read: ReadRequest, call: IncomingCall): Promise<Message> {
    return await this.answer(method.path, call, async (context) => {
      const request = await read();
      check(method, request, call);
      return complete(method.descriptor.output, await method.call(request, context));
    });
  }

  /** Runs something that is no method of a service like one. */
  async answer<T>(path: string, call: IncomingCall, run: (context: CallContext) => Promise<T>): Promise<T> {
    const inTrace = this.#traceOf((name) => call.header(name));
    return await (inTrace === undefined ? this.#answer(path, call, run) : inTrace(() => this.#answer(path, call, run)));
  }

  async #answer<T>(path: string, call: IncomingCall, run: (context: CallContext) => Promise<T>): Promise<T> {
    const record = this.#begin(path, call);
    try {
      const answer = await run(await this.#admit(path, call, call.signal, record));
      record.messages = 1;
      record.end('ok');
      return answer;
    } catch (thrown) {
      throw this.#failure(thrown, record, call.signal);
    }
  }

  stream(method: ServedMethod, read: ReadRequest, call: IncomingCall): AsyncGenerator<Message, void, undefined> {
    const messages = this.#stream(method, read, call);
    const inTrace = this.#traceOf((name) => call.header(name));
    return inTrace === undefined ? messages : eachIn(inTrace, messages);
  }

  async *#stream(method: ServedMethod, read: ReadRequest, call: IncomingCall): AsyncGenerator<Message, void, undefined> {
    const { path } = method;
    const record = this.#begin(path, call);
    const stopping = this.#stopping.signal;
    const signal = AbortSignal.any([call.signal, stopping]);
    let isDone = false;
    let ended: (() => void) | undefined;
    try {
      const context = await this.#admit(path, call, signal, record);
      ended = this.#streams?.opened(context.identity, call.peer);
      const request = await read();
      check(method, request, call);
      const answers = method.call(request, context) as AsyncIterable<unknown>;
      for await (const answer of answers) {
        record.messages += 1;
        yield complete(method.descriptor.output, answer);
      }
      signal.throwIfAborted();
      isDone = true;
      record.end('ok');
    } catch (thrown) {
      isDone = true;
      throw this.#failure(stopping.aborted ? stopping.reason : thrown, record, call.signal);
    } finally {
      ended?.();
      // The reader left the loop: a transport that found its caller gone.
      if (!isDone) record.end('cancelled');
    }
  }

  async #admit(path: string, call: IncomingCall, signal: AbortSignal, record: CallRecord): Promise<CallContext> {
    const { peer, certificate, ownCertificate } = call;
    const authorization = call.header('authorization');
    const token = bearerOf(authorization);
    // What an address is told apart by where it is not TLS that knows who shows a certificate. No token has a space.
    const shown = token ?? (ownCertificate && `certificate ${ownCertificate.fingerprint}`);
    if (certificate === undefined || token !== undefined) this.#limits?.arrived(peer, shown);
    const known = (identity: Identity): void => {
      const isCounted = record.identity !== undefined;
      record.identity = identity;
      if (!isCounted) this.#limits?.called(identity, peer, shown);
    };
    const caller = { method: path, peer, token, authorization, certificate, ownCertificate, known };
    const identity = await this.#identify(caller, shown, signal, record);
    known(identity);
    return { method: path, transport: call.transport, identity, peer: call.peer, header: (name) => call.header(name), signal };
  }

  async #identify(caller: Caller, shown: string | undefined, signal: AbortSignal, record: CallRecord): Promise<Identity> {
    try {
      return await this.#authenticate(caller, signal);
    } catch (thrown) {
      const isKnown = record.identity !== undefined;
      if (!isKnown && thrown instanceof StatusError && thrown.code !== 'unavailable') this.#limits?.refused(caller.peer, shown);
      throw thrown;
    }
  }

  #failure(thrown: unknown, record: CallRecord, signal: AbortSignal): Error {
    // Whatever the call failed with then, it is because its caller went away, and nobody is there to be told.
    if (signal.aborted) {
      record.end('cancelled');
      return new CancelledCall();
    }
    if (thrown instanceof StatusError) {
      record.end(thrown.code, thrown);
      return thrown;
    }
    record.end('internal', thrown);
    return new StatusError('internal', 'internal error: see the log of the server', { cause: thrown });
  }

  #begin(path: string, call: IncomingCall): CallRecord {
    const startedAt = this.#clock.monotonic();
    const record: CallRecord = {
      messages: 0,
      identity: undefined,
      end: (outcome, error) => {
        const durationMs = this.#clock.monotonic() - startedAt;
        const { messages, identity } = record;
        const fields = { method: path, transport: call.transport, peer: call.peer, caller: identity?.name, outcome, durationMs, messages };
        if (outcome === 'internal') this.#log.error('call failed', { ...fields, error });
        else this.#log.debug('call ended', error === undefined ? fields : { ...fields, error });
        this.#onCall({ method: path, transport: call.transport, outcome, durationMs, messages, identity });
      },
    };
    return record;
  }
}

interface CallRecord {
  messages: number;
  identity: Identity | undefined;
  end(outcome: FinishedCall['outcome'], error?: unknown): void;
}

/** What a generator does belongs to whoever asks for its next value. */
async function* eachIn<T>(
  inTrace: <R>(work: () => R) => R,
  messages: AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  try {
    for (;;) {
      const next = await inTrace(() => messages.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await inTrace(() => messages.return());
  }
}

function check(method: ServedMethod, request: Message, call: IncomingCall): void {
  checkReadable(method.descriptor, request);
  applyDryRun(method.descriptor, method.dryRun, request, call);
}

function complete(schema: DescMessage, answer: unknown): Message {
  return create(schema, answer as MessageInitShape<DescMessage>);
}
