import type { Message } from '@bufbuild/protobuf';
import { type Clock, type Log, messageOf, StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import {
  createServer,
  type CallContext as GrpcContext,
  type Server,
  ServerError,
  type ServerMiddleware,
  type ServiceImplementation,
  Status,
} from 'nice-grpc';
import { checkExposure } from './authentication.ts';
import { blameCallers } from './blame-callers.ts';
import { CallRunner, type CallRunnerOptions, type IncomingCall } from './call-runner.ts';
import { detailsTrailer, encodeError, grpcText, retryAfterHeader, retryAfterText } from './error-details.ts';
import { grpcStatus } from './grpc-status.ts';
import { certificatesIn, passPeerCertificate } from './peer-certificate.ts';
import { reflectionOf } from './reflection.ts';
import { definitionOf } from './service-definition.ts';
import type { ServedMethod, ServedService } from './service-handlers.ts';
import { healthService } from './serving-health.ts';
import { type ReloadingTls, serverCredentials } from './tls-credentials.ts';
import { answerUnaryCalls } from './unary-answers.ts';

export interface RpcServerOptions extends CallRunnerOptions {
  readonly services: readonly ServedService[];
  /** Default 127.0.0.1: others reach it only when that is asked for. */
  readonly host?: string | undefined;
  /** Default 0, any free one. */
  readonly port?: number | undefined;
  readonly tls?: ReloadingTls | undefined;
  /** Serve other machines without TLS or without knowing who calls: for networks that see to both. */
  readonly allowInsecure?: boolean | undefined;
  /** What grpc.health.v1 answers. Default: serving. */
  readonly isServing?: (() => boolean) | undefined;
  /** Of a request. Default 4 MiB. */
  readonly maxRequestBytes?: number | undefined;
}

export interface RpcServer {
  /** `127.0.0.1:50051` */
  readonly address: string;
  readonly port: number;
  /** Ends the streams with `unavailable`, takes no new calls, lets running ones finish for so long, then cuts them off. */
  stop(withinMs: number): Promise<void>;
}

type Implementation = ServiceImplementation<ReturnType<typeof definitionOf>>;

/** Serves gRPC, with health and reflection (v1 and v1alpha) beside the services. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const clock = options.clock ?? systemClock;
  const host = options.host ?? '127.0.0.1';
  checkExposure(host, options);
  const runner = new CallRunner(options);
  const stopping = new AbortController();
  const tls = serverCredentials(options.tls);
  const server = createServer({
    'grpc.max_receive_message_length': options.maxRequestBytes ?? 4 * 1024 * 1024,
    // Finds callers that vanished without a word. Those that are merely idle answer and stay.
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 20_000,
    // Always the latter too: it also throws away what callers send in its place.
    interceptors: [blameCallers(answerUnaryCalls(options.services, runner, options.log ?? silentLog, passPeerCertificate))],
  });
  for (const service of options.services) server.add(definitionOf(service.descriptor), implementationOf(service, runner, options.log));
  const health = addCompanions(server, options, clock, stopping.signal);

  const port = await listen(server, host, options.port ?? 0, tls.credentials).catch((thrown: unknown) => {
    health.stop();
    tls.release();
    throw thrown;
  });
  const address = `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
  options.log?.info('rpc server listens', { address, tls: options.tls !== undefined });
  return {
    address,
    port,
    stop: async (withinMs) => {
      stopping.abort();
      health.stop();
      tls.release();
      runner.endStreams();
      const cancel = clock.schedule(withinMs, () => server.forceShutdown());
      await server.shutdown().finally(cancel);
    },
  };
}

function addCompanions(server: Server, options: RpcServerOptions, clock: Clock, stopping: AbortSignal): { stop(): void } {
  const descriptors = options.services.map((service) => service.descriptor);
  const names = descriptors.map((descriptor) => descriptor.typeName);
  const health = healthService(options.isServing ?? (() => true), names, clock);
  const endsWithServer: ServerMiddleware = async function* (call, context) {
    return yield* call.next(call.request, { ...context, signal: AbortSignal.any([context.signal, stopping]) });
  };
  server.with(endsWithServer).add(health.definition, health.implementation);
  const reflection = reflectionOf(descriptors);
  for (const definition of reflection.definitions) server.with(endsWithServer).add(definition, reflection.implementation);
  return health;
}

function implementationOf(service: ServedService, runner: CallRunner, log: Log = silentLog): Implementation {
  const handlers = service.methods.map((method) => [method.descriptor.localName, handlerOf(method, runner, log)] as const);
  // nice-grpc tells the kinds of handlers apart by the literal types of a definition, which one made at run time has not.
  return Object.fromEntries(handlers) as Readonly<Record<string, unknown>> as Implementation;
}

function handlerOf(method: ServedMethod, runner: CallRunner, log: Log) {
  if (method.kind === 'unary') return answeredBefore;
  return async function* (request: Message, context: GrpcContext): AsyncGenerator<Message, void, undefined> {
    try {
      yield* runner.stream(method, request, incoming(context));
    } catch (thrown) {
      throw grpcError(thrown, context, log);
    }
  };
}

/** Stands in the definition for a method that answerUnaryCalls sees to. */
function answeredBefore(): Promise<Message> {
  return Promise.reject(new ServerError(Status.UNIMPLEMENTED, 'not supported'));
}

function incoming(context: GrpcContext): IncomingCall {
  return {
    transport: 'grpc',
    peer: context.peer,
    ...certificatesIn(context.metadata),
    header: (name) => {
      const values = context.metadata.getAll(name)?.filter((value) => typeof value === 'string') ?? [];
      return values.length === 0 ? undefined : values.join(', ');
    },
    signal: context.signal,
  };
}

function grpcError(thrown: unknown, context: GrpcContext, log: Log): unknown {
  if (!(thrown instanceof StatusError)) return thrown;
  const retryAfter = retryAfterText(thrown);
  if (retryAfter !== undefined) context.trailer.set(retryAfterHeader, retryAfter);
  try {
    context.trailer.set(detailsTrailer, encodeError(thrown));
  } catch (cause) {
    log.warn('error details could not be sent', { error: messageOf(cause) });
  }
  return new ServerError(grpcStatus[thrown.code], grpcText(thrown.message));
}

async function listen(
  server: Server,
  host: string,
  port: number,
  credentials: ReturnType<typeof serverCredentials>['credentials'],
): Promise<number> {
  const bare = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  try {
    return await server.listen(`${bare}:${port}`, credentials);
  } catch (cause) {
    throw new StatusError('unavailable', `cannot listen on ${bare}:${port}: stop what listens there, or choose another host or port`, {
      cause,
    });
  }
}
