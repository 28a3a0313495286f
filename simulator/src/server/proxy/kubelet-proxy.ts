import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { apiError, badRequest, notImplemented } from '../../schema/api-status.ts';
import { type JsonObject, listAt, textAt } from '../object/api-object.ts';
import type { ApiContext, ResourceRequest } from '../request/api-context.ts';
import { refOf } from '../request/request-info.ts';
import { getObject } from '../store/object-reader.ts';
import { joinStreams } from './join-streams.ts';
import { type KubeletAddress, kubeletOfPod, kubeletRequest, unreachable } from './kubelet-target.ts';
import { serveFromPod } from './pod-proxy.ts';

const streams = new Set(['exec', 'attach', 'portforward']);

/** Subresources of pods, nodes and services that reach what runs on a node. */
export const isKubeletSubresource = (name: string | undefined): boolean => name === 'log' || name === 'proxy' || streams.has(name ?? '');

interface Target extends KubeletAddress {
  readonly path: string;
}

/** Serves a plain request from the pod itself, or from its kubelet. */
export async function serveFromKubelet(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { subresource = '', request, response } = call;
  if (subresource === 'attach' || call.kind.plural !== 'pods') throw notImplemented(`${call.kind.plural}/${subresource}`);
  if (streams.has(subresource)) throw badRequest('Upgrade request required');
  if (subresource === 'proxy') {
    await serveFromPod(api, call);
    return;
  }
  const target = targetOf(api, call);
  await new Promise<void>((resolve, reject) => {
    const outgoing = httpsRequest({ ...kubeletRequest(api, target, target.path), method: request.method ?? 'GET' }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] ?? 'text/plain' });
      response.flushHeaders();
      answer.pipe(response);
      answer.once('close', resolve);
      answer.once('error', () => response.destroy());
      response.once('close', () => outgoing.destroy());
    });
    outgoing.once('error', (error) => {
      if (response.headersSent) resolve();
      else reject(unreachable(target, error));
    });
    request.pipe(outgoing);
  });
}

/** Passes a WebSocket of exec or port-forward on to the kubelet, byte by byte. */
export async function upgradeToKubelet(
  api: ApiContext,
  call: Omit<ResourceRequest, 'response'>,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  if (!streams.has(call.subresource ?? '')) throw badRequest('this resource does not support upgrade requests');
  if (call.subresource === 'attach') throw notImplemented('pods/attach');
  if (call.request.headers.upgrade?.toLowerCase() !== 'websocket') throw notImplemented('streams over SPDY: use WebSocket');
  const target = targetOf(api, call);
  const names = ['connection', 'upgrade', ...['key', 'version', 'protocol', 'extensions'].map((each) => `sec-websocket-${each}`)];
  const headers = Object.fromEntries(
    names.flatMap((name) => (call.request.headers[name] === undefined ? [] : [[name, call.request.headers[name]]])),
  );
  await new Promise<void>((resolve, reject) => {
    const outgoing = httpsRequest({ ...kubeletRequest(api, target, target.path), method: 'GET', headers });
    outgoing.once('error', (error) => reject(unreachable(target, error)));
    outgoing.once('response', (answer: IncomingMessage) => {
      text(answer).then(
        (why) => reject(apiError(answer.statusCode ?? 500, 'InternalError', `the kubelet refused the stream: ${why}`)),
        reject,
      );
    });
    outgoing.once('upgrade', (answer, kubelet, first) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      socket.write(first);
      kubelet.write(head);
      joinStreams(kubelet, socket);
      resolve();
    });
    outgoing.end();
  });
}

function targetOf(api: ApiContext, call: Omit<ResourceRequest, 'response'>): Target {
  const { kind, subresource = '', query } = call;
  const ref = refOf(call);
  const object = getObject(api.store, kind, ref);
  const container = subresource === 'portforward' ? '' : `/${containerOf(object, query.get('container') ?? '')}`;
  const kubelet = kubeletOfPod(api, object);
  return {
    ...kubelet,
    path: `/${kubeletPath[subresource]}/${ref.namespace}/${ref.name}${container}${search(kubeletQuery(subresource, query))}`,
  };
}

const kubeletPath: Readonly<Record<string, string>> = { log: 'containerLogs', exec: 'exec', portforward: 'portForward' };

/** The kubelet knows the streams by other names than the API. */
function kubeletQuery(subresource: string, query: URLSearchParams): URLSearchParams {
  if (subresource === 'log') return new URLSearchParams([...query].filter(([name]) => name !== 'container'));
  if (subresource === 'portforward') return new URLSearchParams(query.getAll('ports').map((port): [string, string] => ['port', port]));
  const result = new URLSearchParams(query.getAll('command').map((word): [string, string] => ['command', word]));
  const names = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' };
  for (const [name, kubeletName] of Object.entries(names)) {
    if (['1', 'true'].includes(query.get(name) ?? '')) result.set(kubeletName, '1');
  }
  return result;
}

const search = (query: URLSearchParams): string => (query.size === 0 ? '' : `?${query.toString()}`);

function containerOf(pod: JsonObject, wanted: string): string {
  const names = ['containers', 'initContainers', 'ephemeralContainers'].flatMap((field) =>
    listAt(pod, 'spec', field).map((container) => textAt(container, 'name')),
  );
  const name = textAt(pod, 'metadata', 'name');
  if (wanted !== '') {
    if (names.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  const [only, ...more] = listAt(pod, 'spec', 'containers').map((container) => textAt(container, 'name'));
  if (only !== undefined && more.length === 0) return only;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`);
}
