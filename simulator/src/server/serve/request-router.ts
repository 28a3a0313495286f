import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { sleep } from '@quartermaster/kernel';
import { badRequest, methodNotAllowed, noSuchResource, refusalOf, statusOf } from '../../schema/api-status.ts';
import type { User } from '../access/identity.ts';
import { answerJson, answerStatus, answerText, rawAnswer } from '../answer/answers.ts';
import { answerForm } from '../answer/media-types.ts';
import { isKubeletSubresource, serveFromKubelet, upgradeToKubelet } from '../proxy/kubelet-proxy.ts';
import type { ApiContext, ResourceRequest } from '../request/api-context.ts';
import { parseObject, readText } from '../request/request-body.ts';
import { pathParts, type ResourcePath, resourcePath } from '../request/request-info.ts';
import { deleteMany, parseBulkDelete } from '../write/bulk-delete.ts';
import { loadMany, parseBulkLoad } from '../write/bulk-load.ts';
import { Discovery } from './discovery.ts';
import { serveFaults } from './fault-endpoints.ts';
import { OpenApi } from './open-api.ts';
import { serveResource, verbOf } from './resource-handler.ts';
import { metricsGroup } from './simulated-metrics.ts';
import { serveReview, serveSubresource } from './subresource-handler.ts';

/** What `kubectl version` shows: nobody shall take this for a real server. */
const versionInfo = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0-quartermaster-simulator',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: `${process.platform}/${process.arch}`,
};

const reviewGroups = new Set(['authentication.k8s.io', 'authorization.k8s.io']);
const open = new Set(['/version', '/readyz', '/livez', '/healthz']);

/** Finds out what a request is about and has it served. Every failure is answered as a Status. */
export class RequestRouter {
  readonly #api: ApiContext;
  readonly #discovery: Discovery;
  readonly #openApi: OpenApi;

  constructor(api: ApiContext) {
    this.#api = api;
    this.#discovery = new Discovery(api.registry);
    this.#openApi = new OpenApi(api.registry);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = urlOf(request);
      const user = open.has(url.pathname) ? undefined : this.#api.identity.userOf(request);
      await this.#route(request, response, url, user);
    } catch (error) {
      this.#fail(response, error);
    }
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const url = urlOf(request);
      const user = this.#api.identity.userOf(request);
      const path = this.#resource(pathParts(url.pathname));
      if (path === undefined) throw noSuchResource();
      await upgradeToKubelet(this.#api, { ...path, request, query: url.searchParams, user }, socket, head);
    } catch (error) {
      socket.end(rawAnswer(statusOf(error)));
    }
  }

  #fail(response: ServerResponse, error: unknown): void {
    const status = statusOf(isTooDeep(error) ? badRequest('the object is nested too deeply') : error);
    // The real server has 500 for some faults of requests, too: those are no failures of this one.
    if (status.code === 500 && refusalOf(error) === undefined) this.#api.log.error('request failed', { error });
    if (response.headersSent) response.destroy();
    else answerStatus(response, status);
  }

  async #route(request: IncomingMessage, response: ServerResponse, url: URL, user: User | undefined): Promise<void> {
    const parts = pathParts(url.pathname);
    const [root = '', ...rest] = parts;
    const path = root === 'api' || root === 'apis' ? this.#resource(parts) : undefined;
    if (path !== undefined && user !== undefined) {
      await this.#serveResource({ ...path, request, response, query: url.searchParams, user });
      return;
    }
    if (root === 'simulator' && rest[0] === 'faults') {
      await serveFaults(this.#api, request, response, rest.slice(1), url.searchParams);
      return;
    }
    if (root === 'simulator' && rest[0] === 'objects' && rest.length === 1 && request.method === 'POST') {
      const load = parseBulkLoad(parseObject(await readText(request), 'json'));
      answerJson(response, 201, loadMany(load, this.#api));
      return;
    }
    if (root === 'simulator' && rest[0] === 'objects' && rest.length === 1 && request.method === 'DELETE') {
      const deletion = parseBulkDelete(parseObject(await readText(request), 'json'));
      answerJson(response, 200, deleteMany(deletion, this.#api));
      return;
    }
    if (request.method !== 'GET') throw methodNotAllowed();
    this.#serveDocument(request, response, parts);
  }

  #resource(parts: readonly string[]): ResourcePath | undefined {
    const [root, ...rest] = parts;
    if (root === 'api' && rest.length > 1) return resourcePath(this.#api.registry, '', rest[0] ?? '', rest.slice(1));
    if (root === 'apis' && rest.length > 2) return resourcePath(this.#api.registry, rest[0] ?? '', rest[1] ?? '', rest.slice(2));
    return undefined;
  }

  async #serveResource(call: ResourceRequest): Promise<void> {
    const delayMs = this.#api.faults.meet(verbOf(call), call.kind.plural);
    if (delayMs > 0) await sleep(this.#api.clock, delayMs);
    const { kind, subresource } = call;
    if (this.#api.metrics !== undefined && kind.group === metricsGroup) this.#api.metrics.serve(call);
    else if (isKubeletSubresource(subresource)) await serveFromKubelet(this.#api, call);
    else if (subresource === undefined || subresource === 'status') await this.#serveObjects(call);
    else if (subresource === 'finalize' || subresource === 'resize' || subresource === 'ephemeralcontainers')
      await serveResource(this.#api, call);
    else await serveSubresource(this.#api, { ...call, kind });
  }

  async #serveObjects(call: ResourceRequest): Promise<void> {
    const isReview = reviewGroups.has(call.kind.group);
    if (isReview && call.name === undefined) await serveReview(this.#api, call);
    else if (call.subresource === 'status' && !['GET', 'PUT', 'PATCH'].includes(call.request.method ?? '')) throw methodNotAllowed();
    else await serveResource(this.#api, call);
  }

  #serveDocument(request: IncomingMessage, response: ServerResponse, parts: readonly string[]): void {
    const [root = '', first = '', second = '', third = '', fourth = ''] = parts;
    const form = () => answerForm(request.headers.accept, ['object', 'aggregated']);
    if (root === 'api' && parts.length <= 2) {
      const document = parts.length === 1 ? this.#discovery.core(form(), request.headers.host ?? '') : this.#discovery.version('', first);
      this.#answerDiscovery(response, document);
    } else if (root === 'apis' && parts.length === 1) this.#answerDiscovery(response, this.#discovery.groups(form()));
    else if (root === 'apis' && parts.length === 2) answerJson(response, 200, this.#discovery.group(first));
    else if (root === 'apis' && parts.length === 3) answerJson(response, 200, this.#discovery.version(first, second));
    else if (root === 'version' && parts.length === 1) answerJson(response, 200, versionInfo);
    else if (['readyz', 'livez', 'healthz'].includes(root) && parts.length === 1) answerText(response, 200, 'text/plain', 'ok');
    else if (root === 'openapi' && first === 'v3' && parts.length === 2) answerJson(response, 200, this.#openApi.index());
    else if (root === 'openapi' && first === 'v3' && second === 'api') answerJson(response, 200, this.#openApi.document('', third));
    else if (root === 'openapi' && first === 'v3' && second === 'apis') answerJson(response, 200, this.#openApi.document(third, fourth));
    else throw noSuchResource();
  }

  #answerDiscovery(response: ServerResponse, document: { readonly [key: string]: unknown }): void {
    const { kind, apiVersion } = document;
    const [version = '', group = ''] = String(apiVersion).split('/').reverse();
    const parameters = kind === 'APIGroupDiscoveryList' ? `;g=${group};v=${version};as=${kind}` : '';
    answerText(response, 200, `application/json${parameters}`, JSON.stringify(document));
  }
}

/** Where a value has more levels than the stack has room for. */
const isTooDeep = (error: unknown): boolean => error instanceof RangeError && error.message.includes('call stack');

function urlOf(request: IncomingMessage): URL {
  try {
    return new URL(request.url ?? '/', 'https://simulator.invalid');
  } catch {
    throw badRequest('the request has no valid URL');
  }
}
