import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { RequestOptions } from '../client/api.ts';
import type { KubeClient } from '../client/client.ts';
import { kinds } from '../generated/kinds.ts';
import type { ObjectRef } from '../objects/objects.ts';
import { describeRef, objectPath } from '../objects/resource-path.ts';
import { connectionError } from '../transport/failure-from-answer.ts';
import { LineSplitter } from '../transport/lines.ts';
import { openExec } from './pod-exec.ts';

export interface LogOptions extends RequestOptions {
  /** Needed when the pod has several. */
  readonly container?: string | undefined;
  /** Goes on with new lines until the container ends or the signal aborts. */
  readonly follow?: boolean | undefined;
  /** Of the container's previous run. */
  readonly previous?: boolean | undefined;
  readonly tailLines?: number | undefined;
  readonly sinceSeconds?: number | undefined;
  /** RFC 3339; not together with `sinceSeconds`. */
  readonly sinceTime?: string | undefined;
  readonly timestamps?: boolean | undefined;
  /** Longer lines come in pieces of this size, with no character cut in two, so that a log without line ends takes no more memory than others. */
  readonly maxLineBytes?: number | undefined;
}

/** A container's log, line by line, as fast as it is taken and no faster: the connection is not read while nobody does. */
export async function* podLog(client: KubeClient, pod: ObjectRef, options: LogOptions = {}): AsyncGenerator<string, void> {
  const what = `log of ${describeRef(kinds.pods, pod)}`;
  const { container, follow, previous, tailLines, sinceSeconds, sinceTime, timestamps } = options;
  const answer = await client.transport.open({
    what,
    method: 'GET',
    path: objectPath(kinds.pods, pod, 'log'),
    query: { container, follow, previous, tailLines, sinceSeconds, sinceTime, timestamps },
    accept: '*/*',
    signal: options.signal,
    guard: options.guard,
    timeoutMs: options.timeoutMs,
  });
  const splitter = new LineSplitter(options.maxLineBytes);
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

/** What we use of the WebSocket that client-node opens. */
interface StreamSocket {
  on(event: 'close', listener: () => void): unknown;
}

export interface ExecOptions {
  readonly container?: string | undefined;
  readonly command: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command without input in a container and waits for its end. A command that fails is a result, not an error. */
export async function podExec(client: KubeClient, pod: ObjectRef, options: ExecOptions): Promise<ExecResult> {
  const { signal = new AbortController().signal } = options;
  const exec = await openExec(client, pod, { ...options, signal, tty: false, stdin: false });
  const written = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  for await (const { channel, bytes } of exec.output) written[channel].push(bytes);
  const text = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('utf8');
  return { exitCode: await exec.ended, stdout: text(written.stdout), stderr: text(written.stderr) };
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
