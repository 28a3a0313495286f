import { type Clock, messageOf, pause, StatusError } from '@quartermaster/kernel';
import { failureOf, isFailure, KubeClient, serverVersion } from '@quartermaster/kube';
import { outgoingTraceHeaders } from '@quartermaster/service';

export interface ConnectedCluster {
  readonly client: KubeClient;
  /** Scheme, host and port. */
  readonly server: string;
  readonly version: string;
}

export interface ConnectOptions {
  readonly kubeconfig: string;
  /** A given one may be anywhere, or nowhere. One that we started is there as long as the signal has not aborted, and may be busy filling itself. */
  readonly isOurs: boolean;
  readonly clock: Clock;
  /** Told after each try that had no answer. */
  readonly onWait: (text: string) => void;
}

const tryMs = 10_000;
const tryAgainMs = 1_000;

/** A client for a cluster that has answered. Throws one line that says what to do when a given one does not; waits for one of ours while it is busy. */
export async function connectCluster(options: ConnectOptions, signal: AbortSignal): Promise<ConnectedCluster> {
  const { kubeconfig } = options;
  const client = await KubeClient.connect({ kubeconfig, traceHeaders: outgoingTraceHeaders });
  try {
    const version = await firstAnswer(client, options, signal);
    const { origin } = await client.transport.credentials.session();
    return { client, server: origin, version };
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function firstAnswer(
  client: KubeClient,
  { kubeconfig, isOurs, clock, onWait }: ConnectOptions,
  signal: AbortSignal,
): Promise<string> {
  const startedAt = clock.monotonic();
  for (;;) {
    try {
      return (await serverVersion(client.transport, { timeoutMs: tryMs, signal })).gitVersion;
    } catch (cause) {
      signal.throwIfAborted();
      if (!isOurs) throw unanswered(kubeconfig, cause);
      if (!isBusy(cause)) throw refused(kubeconfig, cause);
      onWait(`busy for ${Math.round((clock.monotonic() - startedAt) / 1_000)} s (${messageOf(cause)})`);
    }
    await pause(clock, tryAgainMs, signal);
  }
}

/** Whether another try may succeed: one that answers with a refusal, or with another certificate, does so for ever. */
function isBusy(cause: unknown): boolean {
  const failure = failureOf(cause);
  if (failure?.kind === 'connection') return !/CERT|SIGNATURE|^ERR_(TLS|SSL)|^EPROTO$/.test(failure.errno ?? '');
  return isFailure(cause, 'timeout', 'throttled', 'server');
}

const refused = (kubeconfig: string, cause: unknown): StatusError =>
  new StatusError(
    'failed_precondition',
    `the cluster that was started refuses ${kubeconfig} (${messageOf(cause)}): start again, or start over with --reset if that does not help`,
    { cause },
  );

const unanswered = (kubeconfig: string, cause: unknown): StatusError =>
  new StatusError(
    'unavailable',
    `the cluster of ${kubeconfig} does not answer (${messageOf(cause)}): see whether \`kubectl --kubeconfig ${kubeconfig} version\` does, and give the kubeconfig of a cluster that runs`,
    { cause },
  );
