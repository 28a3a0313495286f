import { PassThrough, type Readable, Writable } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';
import type { RequestOptions } from '../client/api.ts';
import type { KubeClient } from '../client/client.ts';
import { kinds } from '../generated/kinds.ts';
import type { ObjectRef } from '../objects/objects.ts';
import { describeRef, objectPath } from '../objects/resource-path.ts';
import { connectionError, type KubeStatus } from '../transport/failure-from-answer.ts';
import { LineSplitter } from '../transport/lines.ts';

export interface LogOptions extends RequestOptions {
  /** Needed when the pod has several. */
  readonly container?: string | undefined;
  /** Goes on with new lines until the container ends or the signal aborts. */
  readonly follow?: boolean | undefined;
  /** Of the container's previous run. */
  readonly previous?: boolean | undefined;
  readonly tailLines?: number | undefined;
  readonly sinceSeconds?: number | undefined;
  readonly timestamps?: boolean | undefined;
}

/** A container's log, line by line. */
export async function* podLog(client: KubeClient, pod: ObjectRef, options: LogOptions = {}): AsyncGenerator<string, void> {
  const what = `log of ${describeRef(kinds.pods, pod)}`;
  const { container, follow, previous, tailLines, sinceSeconds, timestamps } = options;
  const answer = await client.transport.open({
    what,
    method: 'GET',
    path: objectPath(kinds.pods, pod, 'log'),
    query: { container, follow, previous, tailLines, sinceSeconds, timestamps },
    accept: '*/*',
    signal: options.signal,
    guard: options.guard,
    timeoutMs: options.timeoutMs,
  });
  const splitter = new LineSplitter();
  let ready: string[] = [];
  const take = (bytes: Buffer): void => {
    ready.push(bytes.toString('utf8'));
  };
  try {
    for await (const chunk of answer.body) {
      splitter.push(chunk as Buffer, take);
      yield* ready;
      ready = [];
    }
    splitter.end(take);
    yield* ready;
  } catch (error) {
    if (options.signal?.aborted === true) throw options.signal.reason;
    throw connectionError(what, error);
  }
}

export interface ProxyOptions extends RequestOptions {
  readonly port?: number | undefined;
  readonly scheme?: 'http' | 'https' | undefined;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  readonly body?: string | undefined;
}

/** A request to a pod's or service's own HTTP server through the API server. Answers the body as text. */
export async function proxyText(
  client: KubeClient,
  type: typeof kinds.pods | typeof kinds.services,
  ref: ObjectRef,
  path: string,
  options: ProxyOptions = {},
): Promise<string> {
  const scheme = options.scheme === undefined ? '' : `${options.scheme}:`;
  const port = options.port === undefined ? '' : `:${options.port}`;
  const target = { ...ref, name: `${scheme}${ref.name}${port}` };
  return await client.transport.text({
    what: `proxy to ${describeRef(type, target)}`,
    method: options.method ?? 'GET',
    path: `${objectPath(type, target, 'proxy')}/${path.replace(/^\//, '')}`,
    accept: '*/*',
    signal: options.signal,
    guard: options.guard,
    body: options.body,
    timeoutMs: options.timeoutMs,
  });
}

export interface ExecOptions {
  readonly container?: string | undefined;
  readonly command: readonly string[];
  readonly stdin?: Readable | undefined;
  readonly tty?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What we use of the WebSocket that client-node opens. */
interface StreamSocket {
  on(event: 'close', listener: () => void): unknown;
  close(): void;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a container and waits for its end. A command that fails is a result, not an error. */
export async function podExec(client: KubeClient, pod: ObjectRef, options: ExecOptions): Promise<ExecResult> {
  const { Exec } = await import('@kubernetes/client-node');
  const exec = new Exec(await client.transport.credentials.kubeConfig());
  const what = `exec in ${describeRef(kinds.pods, pod)}`;
  const stdout = collector();
  const stderr = collector();
  const status = await new Promise<KubeStatus>((resolve, reject) => {
    exec
      .exec(
        pod.namespace ?? '',
        pod.name,
        options.container ?? '',
        [...options.command],
        stdout.sink,
        stderr.sink,
        options.stdin ?? null,
        options.tty ?? false,
        (answered) => resolve(answered as KubeStatus),
      )
      .then((socket: StreamSocket) => {
        socket.on('close', () => reject(connectionError(what, new Error('the stream closed before the command ended'))));
        options.signal?.addEventListener('abort', () => {
          socket.close();
          reject(options.signal?.reason);
        });
      })
      .catch((thrown: unknown) => reject(connectionError(what, errorIn(thrown))));
  });
  return { exitCode: exitCodeOf(what, status), stdout: stdout.text(), stderr: stderr.text() };
}

/** One connection to a port of a pod, as a duplex pair. Ends when either side does. */
export async function podPortForward(
  client: KubeClient,
  pod: ObjectRef,
  port: number,
): Promise<{ readonly input: Writable; readonly output: Readable }> {
  const { PortForward } = await import('@kubernetes/client-node');
  const forward = new PortForward(await client.transport.credentials.kubeConfig());
  const input = new PassThrough();
  const output = new PassThrough();
  try {
    // Without retries it answers the WebSocket itself.
    const socket = (await forward.portForward(pod.namespace ?? '', pod.name, [port], output, null, input)) as StreamSocket;
    socket.on('close', () => output.end());
  } catch (thrown) {
    throw connectionError(`port-forward to ${describeRef(kinds.pods, pod)}`, errorIn(thrown));
  }
  return { input, output };
}

/** A WebSocket that cannot be opened fails with an event, which holds the error. */
function errorIn(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'error' in thrown ? thrown.error : thrown;
}

function collector(): { readonly sink: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      chunks.push(chunk);
      callback();
    },
  });
  return { sink, text: () => Buffer.concat(chunks).toString('utf8') };
}

/** The protocol reports an exit code as a cause of a failed Status. */
function exitCodeOf(what: string, status: KubeStatus & { readonly status?: string }): number {
  if (status.status === 'Success') return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  if (cause?.message === undefined)
    throw new StatusError('unavailable', `${what}: ${status.message ?? 'the command could not be started'}`);
  return Number(cause.message);
}
