import { messageOf, StatusError } from '@quartermaster/kernel';
import { KubeClient, serverVersion } from '@quartermaster/kube';
import { outgoingTraceHeaders } from '@quartermaster/service';

export interface ConnectedCluster {
  readonly client: KubeClient;
  /** Scheme, host and port. */
  readonly server: string;
  readonly version: string;
}

export interface ConnectOptions {
  readonly kubeconfig: string;
  readonly answerWithinMs: number;
}

/** A client for a cluster that has answered. Throws one line that says what to do when it does not. */
export async function connectCluster({ kubeconfig, answerWithinMs }: ConnectOptions, signal: AbortSignal): Promise<ConnectedCluster> {
  const client = await KubeClient.connect({ kubeconfig, traceHeaders: outgoingTraceHeaders });
  try {
    const { gitVersion } = await serverVersion(client.transport, { timeoutMs: answerWithinMs, signal });
    const { origin } = await client.transport.credentials.session();
    return { client, server: origin, version: gitVersion };
  } catch (cause) {
    await client.close();
    signal.throwIfAborted();
    throw new StatusError(
      'unavailable',
      `the cluster of ${kubeconfig} does not answer (${messageOf(cause)}): see whether \`kubectl --kubeconfig ${kubeconfig} version\` does, and give the kubeconfig of a cluster that runs`,
    );
  }
}
