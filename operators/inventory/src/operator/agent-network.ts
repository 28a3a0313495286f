import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, StatusError } from '@quartermaster/kernel';
import type { ObjectRef } from '@quartermaster/kube';
import { discoveryAudience } from '../discovery/agent/discovery-defaults.ts';

/** The pod of an agent. */
export interface AgentPod extends ObjectRef {
  /** Empty until it has one. */
  readonly address: string;
}

/** How agents are reached, and what is shown to them. */
export interface AgentNetwork {
  /** A new connection to a port of the pod. The caller closes it. */
  connect(pod: AgentPod, port: number, signal: AbortSignal): Promise<Duplex>;
  /** A token that was made for agents. Throws when there is none, with the way out. */
  token(signal: AbortSignal): Promise<string>;
}

export interface PodNetworkOptions {
  /** A token of the audience of the agents, which whoever wrote it replaces before it ends. */
  readonly tokenFile: string;
  readonly clock: Clock;
}

/** A changed token is seen after this at the latest; a kubelet replaces one long before it ends. */
const believeMs = 10_000;

/** The network of the cluster, as a pod is in it. */
export function podNetwork({ tokenFile, clock }: PodNetworkOptions): AgentNetwork {
  let last: { readonly at: number; readonly token: Promise<string> } | undefined;
  return {
    connect: async ({ address }, port, signal) => {
      if (address === '') throw new StatusError('unavailable', 'its pod has no address yet');
      const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
      const socket = connect({ host: address, port, signal });
      socket.once('connect', () => resolve(socket));
      socket.once('error', (error) => reject(signal.aborted ? new StatusError('unavailable', 'it cannot be reached in time') : error));
      return await promise;
    },
    token: async () => {
      if (last === undefined || clock.monotonic() - last.at >= believeMs) last = { at: clock.monotonic(), token: readToken(tokenFile) };
      return await last.token;
    },
  };
}

async function readToken(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new StatusError(
      'failed_precondition',
      `${file} cannot be read: mount a token of the audience ${discoveryAudience} there, or name its file in inventory-agent-token-file`,
      { cause },
    );
  });
  const token = text.trim();
  if (token !== '') return token;
  throw new StatusError('failed_precondition', `${file} is empty: it must hold a token of the audience ${discoveryAudience}`);
}
