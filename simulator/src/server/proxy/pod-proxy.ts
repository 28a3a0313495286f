import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { messageOf } from '@quartermaster/kernel';
import { apiError, badRequest } from '../../schema/api-status.ts';
import { type JsonObject, listAt, numberAt, textAt } from '../object/api-object.ts';
import type { ApiContext, ResourceRequest } from '../request/api-context.ts';
import { getObject } from '../store/object-reader.ts';
import { connectThroughKubelet, kubeletOfPod } from './kubelet-target.ts';

const unavailable = (why: string): Error => apiError(503, 'ServiceUnavailable', `error trying to reach service: ${why}`);

/** Serves a request for `scheme:pod:port` from the pod itself, over HTTP. Scheme and port may be left out. */
export async function serveFromPod(api: ApiContext, { kind, namespace, name: id = '', request, response }: ResourceRequest): Promise<void> {
  const [, scheme = '', name = '', port = ''] = /^(?:(http|https|):)?([^:]+)(?::([^:]*))?$/.exec(id) ?? [];
  if (name === '') throw badRequest(`invalid pod request ${JSON.stringify(id)}`);
  if (scheme === 'https') throw unavailable('simulated pods answer plain HTTP, not TLS');
  const pod = getObject(api.store, kind, { namespace, name });
  if (textAt(pod, 'status', 'podIP') === '') throw badRequest('address not allowed');
  const [before = '', query] = (request.url ?? '').split('?', 2);
  // What follows the subresource, as it was sent: decoding it would change what the pod sees.
  const path = before.split('/').slice(8);
  if (path.length === 0 && (request.method === 'GET' || request.method === 'HEAD')) {
    // What the pod's pages refer to is looked for relative to this path, which must therefore end as a folder does.
    response.writeHead(301, { location: query === undefined ? `${before}/` : `${before}/?${query}` }).end();
    return;
  }
  const address = `${textAt(pod, 'status', 'podIP')}:${portOf(pod, port)}`;
  const socket = await connectThroughKubelet(api, kubeletOfPod(api, pod), address).catch((error: unknown) => {
    throw unavailable(messageOf(error));
  });
  await new Promise<void>((resolve, reject) => {
    const outgoing = httpRequest({
      createConnection: () => socket,
      method: request.method ?? 'GET',
      path: `/${path.join('/')}${query === undefined ? '' : `?${query}`}`,
      headers: { ...passedHeaders(request.headers), host: address },
    });
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, passedHeaders(answer.headers));
      answer.pipe(response);
      answer.once('close', resolve);
      answer.once('error', () => response.destroy());
    });
    outgoing.once('error', (error) => {
      if (response.headersSent) resolve();
      else reject(unavailable(error.message));
    });
    response.once('close', () => outgoing.destroy());
    request.pipe(outgoing);
  });
}

/** Identity is the API server's business and is not passed on; what concerns one connection only, neither. */
const withheld = new Set(['authorization', 'connection', 'host', 'keep-alive', 'proxy-authorization', 'te', 'trailer', 'upgrade']);

const passedHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !withheld.has(name)));

/** The port of that name or number; the first that a container declares where none is named. */
function portOf(pod: JsonObject, wanted: string): string {
  const ports = listAt(pod, 'spec', 'containers').flatMap((container) => listAt(container, 'ports'));
  const found = wanted === '' ? ports[0] : ports.find((each) => textAt(each, 'name') === wanted);
  return String(numberAt(found, 'containerPort') ?? (wanted || '80'));
}
