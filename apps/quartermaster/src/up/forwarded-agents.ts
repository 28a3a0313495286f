import type { AgentNetwork } from '@quartermaster/inventory';
import { type Clock, messageOf, StatusError } from '@quartermaster/kernel';
import { type KubeClient, type KubeObject, kinds, podPortForward } from '@quartermaster/kube';
import { productNamespace } from '../product/product.ts';
import { forwardedStream } from './forwarded-stream.ts';

interface TokenRequest extends KubeObject {
  readonly spec: { readonly audiences: readonly string[] };
  readonly status?: { readonly token?: string | undefined } | undefined;
}

/** Tokens are made for an hour unless asked otherwise. */
const renewAfterMs = 30 * 60_000;

/** The agents as `up` reaches them, from outside of the cluster's network: through the API server, with a token of the account that the operator has in a cluster. */
export async function forwardedAgents(client: KubeClient, clock: Clock): Promise<AgentNetwork> {
  const { discoveryAudience, operatorAccount } = await import('@quartermaster/inventory/discovery');
  const account = { namespace: productNamespace, name: operatorAccount };
  let last: { readonly at: number; readonly token: string } | undefined;
  return {
    connect: async ({ namespace, name }, port) => forwardedStream(await podPortForward(client, { namespace, name }, port)),
    token: async (signal) => {
      if (last !== undefined && clock.monotonic() - last.at < renewAfterMs) return last.token;
      const at = clock.monotonic();
      const request: TokenRequest = { spec: { audiences: [discoveryAudience] } };
      const { status } = await client
        .createSubresource(kinds.serviceAccounts, account, 'token', request, { signal })
        .catch((cause: unknown) => {
          const message = `no token of ${productNamespace}/${operatorAccount} for agents: ${messageOf(cause)}`;
          throw new StatusError('unavailable', message, { cause });
        });
      last = { at, token: status?.token ?? '' };
      return last.token;
    },
  };
}
