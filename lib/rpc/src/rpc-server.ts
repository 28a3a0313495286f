import type { DescService, Message } from '@bufbuild/protobuf';
import { StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import { createServer, type Server, ServerError, type ServerMiddleware, type ServiceImplementation, Status } from 'nice-grpc';
import { type Answer, answerCalls } from './answer-calls.ts';
import { checkExposure } from './authentication.ts';
import { blameCallers } from './blame-callers.ts';
import { boundConnections, type ConnectionBounds } from './bounded-connections.ts';
import { CallRunner, type CallRunnerOptions } from './call-runner.ts';
import { ownCertificate, verifiedCertificate } from './peer-certificate.ts';
import { reflectionOf } from './reflection.ts';
import { definitionOf } from './service-definition.ts';
import type { ServedService } from './service-handlers.ts';
import { healthService } from './serving-health.ts';
import { type ReloadingTls, serverCredentials } from './tls-credentials.ts';

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
  /** For servers that strangers reach. Default: as many as come. */
  readonly bounds?: ServerBounds | undefined;
  /**
   * `health` serves the method Check of grpc.health.v1 and nothing else beside the services, and asks who calls it and how often as for theirs. Default: health and
   * reflection, for everybody.
   */
  readonly companions?: 'health' | 'all' | undefined;
}

export interface ServerBounds extends ConnectionBounds {
  readonly streamsPerConnection: number;
}

export interface RpcServer {
  /** `127.0.0.1:50051` */
  readonly address: string;
  readonly port: number;
  /** Ends the streams with `unavailable`, takes no new calls, lets running ones finish for so long, then cuts them off. */
  stop(withinMs: number): Promise<void>;
}

type Implementation = ServiceImplementation<ReturnType<typeof definitionOf>>;

const healthCheck = '/grpc.health.v1.Health/Check';

/** Serves gRPC, with health and reflection (v1 and v1alpha) beside the services. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { tls: certificates, bounds, services, log = silentLog, clock = systemClock } = options;
  const host = options.host ?? '127.0.0.1';
  checkExposure(host, options);
  const runner = new CallRunner(options);
  const stopping = new AbortController();
  const tls = serverCredentials(certificates);
  const health = healthService(options.isServing ?? (() => true), namesOf(options), clock);
  const answers = new Map(services.flatMap((service) => answersOf(service, runner)));
  const certificatesOf = tls.takesAny ? ownCertificate : verifiedCertificate;
  const server = createServer({
    'grpc.max_receive_message_length': options.maxRequestBytes ?? 4 * 1024 * 1024,
    // Finds callers that vanished without a word. Those that are merely idle answer and stay.
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 20_000,
    ...(bounds && { 'grpc.max_concurrent_streams': bounds.streamsPerConnection }),
    interceptors: [blameCallers(answerCalls(answers, { certificatesOf, clock, log }))],
  });
  for (const { descriptor } of services) server.add(definitionOf(descriptor), standIns(descriptor));
  if (options.companions === 'health') {
    const { check } = health.definition.methods;
    server.add({ ...health.definition, methods: { check } }, { check: unanswered });
    answers.set(healthCheck, healthAnswer(health, runner));
  } else {
    addCompanions(server, services, health, stopping.signal);
  }

  const port = await listen(server, host, options.port ?? 0, tls.credentials).catch((thrown: unknown) => {
    health.stop();
    tls.release();
    throw thrown;
  });
  const unbound = bounds === undefined ? () => {} : boundConnections(port, bounds);
  const address = `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
  log.info('rpc server listens', { address, tls: certificates !== undefined });
  return {
    address,
    port,
    stop: async (withinMs) => {
      stopping.abort();
      health.stop();
      tls.release();
      runner.endStreams();
      const cancel = clock.schedule(withinMs, () => server.forceShutdown());
      await server.shutdown().finally(() => {
        cancel();
        unbound();
      });
    },
  };
}

const namesOf = ({ services }: RpcServerOptions): readonly string[] => services.map(({ descriptor }) => descriptor.typeName);

function addCompanions(
  server: Server,
  services: readonly ServedService[],
  health: ReturnType<typeof healthService>,
  stopping: AbortSignal,
): void {
  const endsWithServer: ServerMiddleware = async function* (call, context) {
    return yield* call.next(call.request, { ...context, signal: AbortSignal.any([context.signal, stopping]) });
  };
  server.with(endsWithServer).add(health.definition, health.implementation);
  const reflection = reflectionOf(services.map(({ descriptor }) => descriptor));
  for (const definition of reflection.definitions) server.with(endsWithServer).add(definition, reflection.implementation);
}

function answersOf({ methods }: ServedService, runner: CallRunner): readonly (readonly [string, Answer])[] {
  return methods.map((method) => [
    method.path,
    (call, read) => (method.kind === 'unary' ? runner.unary(method, read, call) : runner.stream(method, read, call)),
  ]);
}

/** Its messages are of nice-grpc, which reads and writes them. */
function healthAnswer({ check }: Pick<ReturnType<typeof healthService>, 'check'>, runner: CallRunner): Answer {
  return (call, read) =>
    runner.answer(healthCheck, call, async () => {
      const { service } = (await read()) as unknown as { readonly service: string };
      return check(service) as unknown as Message;
    });
}

/** Stands in the definition for methods that answerCalls sees to. */
const unanswered = (): Promise<never> => Promise.reject(new ServerError(Status.UNIMPLEMENTED, 'not supported'));

function standIns({ methods }: DescService): Implementation {
  // nice-grpc tells the kinds of handlers apart by the literal types of a definition, which one made at run time has not.
  return Object.fromEntries(methods.map(({ localName }) => [localName, unanswered])) as Readonly<Record<string, unknown>> as Implementation;
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
