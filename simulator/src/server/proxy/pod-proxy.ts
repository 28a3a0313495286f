import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { messageOf } from '@quartermaster/kernel';
import { apiError, badRequest } from '../../schema/api-status.ts';
import { at, type JsonObject, listAt, numberAt, textAt } from '../object/api-object.ts';
import type { ApiContext, ResourceRequest } from '../request/api-context.ts';
import { getObject } from '../store/object-reader.ts';
import { connectThroughKubelet, kubeletOfPod } from './kubelet-target.ts';

/** What `scheme:name:port` names; scheme and port may be left out. */
interface Target {
  readonly name: string;
  readonly port: string;
}

interface Backend {
  readonly pod: JsonObject;
  readonly port: string;
}

/** Serves a request to a pod or service from the pod itself, over HTTP. */
export async function serveFromPod(api: ApiContext, call: ResourceRequest): Promise<void> {
  const { kind, request, response } = call;
  const path = proxiedPath(request.url ?? '', kind.namespaced);
  const target = targetOf(call.name ?? '', kind.plural);
  const { pod, port } = kind.plural === 'pods' ? podBackend(api, call, target) : serviceBackend(api, call, target);
  if (path === '' && (request.method === 'GET' || request.method === 'HEAD')) {
    // What the pod's pages refer to is looked for relative to this path, which must therefore end as a folder does.
    const [before = '', query] = (request.url ?? '').split('?', 2);
    response.writeHead(301, { location: query === undefined ? `${before}/` : `${before}/?${query}` }).end();
    return;
  }
  const address = `${textAt(pod, 'status', 'podIP')}:${port === '' ? '80' : port}`;
  await pass(api, pod, address, path, request, response);
}

async function pass(
  api: ApiContext,
  pod: JsonObject,
  address: string,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const failed = (error: unknown): Error => apiError(503, 'ServiceUnavailable', `error trying to reach service: ${messageOf(error)}`);
  const socket = await connectThroughKubelet(api, kubeletOfPod(api, pod), address).catch((error: unknown) => {
    throw failed(error);
  });
  const query = request.url?.split('?', 2)[1];
  await new Promise<void>((resolve, reject) => {
    const outgoing = httpRequest({
      createConnection: () => socket,
      method: request.method ?? 'GET',
      path: `${path === '' ? '/' : path}${query === undefined ? '' : `?${query}`}`,
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
      else reject(failed(error));
    });
    response.once('close', () => outgoing.destroy());
    request.pipe(outgoing);
  });
}

/** Identity is the API server's business and is not passed on; what concerns one connection only, neither. */
const withheld = new Set(['authorization', 'connection', 'host', 'keep-alive', 'proxy-authorization', 'te', 'trailer', 'upgrade']);

const passedHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !withheld.has(name)));

/** What follows the subresource, as it was sent: decoding it would change what the pod sees. */
function proxiedPath(url: string, isNamespaced: boolean): string {
  const [path = ''] = url.split('?', 1);
  const rest = path.split('/').slice(isNamespaced ? 8 : 6);
  return rest.length === 0 ? '' : `/${rest.join('/')}`;
}

function targetOf(id: string, plural: string): Target {
  const [, scheme = '', name = '', port = ''] = /^(?:(http|https|):)?([^:]+)(?::([^:]*))?$/.exec(id) ?? [];
  if (name === '') throw badRequest(`invalid ${plural === 'pods' ? 'pod' : 'service'} request ${JSON.stringify(id)}`);
  if (scheme === 'https')
    throw apiError(503, 'ServiceUnavailable', 'error trying to reach service: simulated pods answer plain HTTP, not TLS');
  return { name, port };
}

function podBackend(api: ApiContext, { kind, namespace }: ResourceRequest, { name, port }: Target): Backend {
  const pod = getObject(api.store, kind, { namespace, name });
  if (textAt(pod, 'status', 'podIP') === '') throw badRequest('address not allowed');
  const ports = listAt(pod, 'spec', 'containers').flatMap((container) => listAt(container, 'ports'));
  if (port === '') return { pod, port: String(numberAt(ports[0], 'containerPort') ?? '') };
  const named = ports.find((each) => textAt(each, 'name') === port);
  return { pod, port: String(numberAt(named, 'containerPort') ?? port) };
}

/** The first ready endpoint of the service that has the port. */
function serviceBackend(api: ApiContext, { kind, namespace = '' }: ResourceRequest, { name, port }: Target): Backend {
  const service = getObject(api.store, kind, { namespace, name });
  const ports = listAt(service, 'spec', 'ports');
  const wanted = /^\d+$/.test(port) ? ports.find((each) => numberAt(each, 'port') === Number(port)) : { name: port };
  if (wanted === undefined) throw apiError(503, 'ServiceUnavailable', `no service port ${port} found for service ${JSON.stringify(name)}`);
  const pods = api.registry.get('', 'v1', 'pods');
  for (const [, slice] of api.store.collection('discovery.k8s.io/endpointslices').range(`${namespace}/`)) {
    if (textAt(slice, 'metadata', 'labels', 'kubernetes.io/service-name') !== name) continue;
    const found = listAt(slice, 'ports').find((each) => textAt(each, 'name') === textAt(wanted, 'name'));
    const ready = listAt(slice, 'endpoints').find(
      (each) => at(each, 'conditions', 'ready') !== false && textAt(each, 'targetRef', 'kind') === 'Pod',
    );
    if (found === undefined || ready === undefined) continue;
    const pod = getObject(api.store, pods, { namespace, name: textAt(ready, 'targetRef', 'name') });
    return { pod, port: String(numberAt(found, 'port') ?? '') };
  }
  throw apiError(503, 'ServiceUnavailable', `no endpoints available for service ${JSON.stringify(name)}`);
}
