import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { apiError, badRequest } from '../../schema/api-status.ts';
import { type JsonObject, listAt, numberAt, textAt } from '../object/api-object.ts';
import type { ApiContext } from '../request/api-context.ts';
import { getObject } from '../store/object-reader.ts';

/** Where a kubelet is reached. */
export interface KubeletAddress {
  readonly host: string;
  readonly port: number;
}

function kubeletOf(node: JsonObject): KubeletAddress {
  const addresses = listAt(node, 'status', 'addresses');
  // The order in which the real server's default prefers them.
  const preferred = ['Hostname', 'InternalDNS', 'InternalIP'].map((wanted) => addresses.find(({ type }) => type === wanted));
  const host = textAt(preferred.find((address) => address !== undefined) ?? addresses[0], 'address');
  const port = numberAt(node, 'status', 'daemonEndpoints', 'kubeletEndpoint', 'Port') ?? 10_250;
  if (host === '') throw apiError(500, 'InternalError', `Internal error occurred: node ${textAt(node, 'metadata', 'name')} has no address`);
  return { host, port };
}

export function kubeletOfPod(api: ApiContext, pod: JsonObject): KubeletAddress {
  const node = textAt(pod, 'spec', 'nodeName');
  if (node === '') throw badRequest(`pod ${textAt(pod, 'metadata', 'name')} does not have a host assigned`);
  return kubeletOf(getObject(api.store, api.registry.get('', 'v1', 'nodes'), { namespace: undefined, name: node }));
}

/** The kubelet's certificate is taken as it is, as an API server without a configured kubelet authority does. */
export const kubeletRequest = ({ kubeletClient }: ApiContext, { host, port }: KubeletAddress, path: string): RequestOptions => ({
  host,
  port,
  path,
  cert: kubeletClient.certificate,
  key: kubeletClient.key,
  rejectUnauthorized: false,
  agent: false,
});

/** A connection to an address in the pods' network, through the kubelet. Throws when nobody listens there. */
export function connectThroughKubelet(api: ApiContext, kubelet: KubeletAddress, target: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const outgoing = httpsRequest({ ...kubeletRequest(api, kubelet, target), method: 'CONNECT' });
  outgoing.once('error', reject);
  outgoing.once('connect', (answer, socket: Socket) => {
    if (answer.statusCode === 200) resolve(socket);
    else {
      socket.destroy();
      reject(new Error(`dial tcp ${target}: connect: connection refused`));
    }
  });
  outgoing.end();
  return promise;
}

export const unreachable = ({ host, port }: KubeletAddress, error: Error): Error =>
  apiError(500, 'InternalError', `Internal error occurred: the kubelet at ${host}:${port} does not answer: ${error.message}`);
