import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type RunningConsole, startConsole } from '@quartermaster/console';
import { silentLog } from '@quartermaster/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { farm, ScriptedSource } from './scripted-source.ts';

/** A fulfillment service that knows two callers and says what it was asked. */
class ScriptedService {
  readonly asked: { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] =
    [];
  readonly #server: Server;
  /** Streams that are open. */
  readonly streams: ServerResponse[] = [];
  /** Requests that it drops together with their connection, as a server does that has just closed it. */
  toDrop = 0;

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    this.asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    if (this.toDrop > 0) {
      this.toDrop -= 1;
      request.socket.destroy();
      return;
    }
    const roles: Readonly<Record<string, string>> = { 'Bearer of-the-installation': 'provider', 'Bearer of-alice': 'tenant' };
    const role = roles[request.headers.authorization ?? ''];
    const send = (status: number, json: object): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'upstream=1' }).end(JSON.stringify(json));
    };
    if (role === undefined) return send(401, { code: 'unauthenticated', message: 'the token is nobody’s' });
    if (request.url === '/api/quartermaster/v1/session')
      return send(200, { name: role === 'tenant' ? 'alice' : 'console', role, rights: [] });
    if (request.url?.startsWith('/api/private/v1/events/watch') === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"token":"1","bookmark":true}\n\n');
      this.streams.push(response);
      return;
    }
    send(role === 'tenant' && request.url?.startsWith('/api/private') === true ? 403 : 200, { code: 'echo', role });
  }
}

describe('the console in front of the fulfillment service', () => {
  let service: ScriptedService;
  let server: RunningConsole;
  let restUrl: string | undefined;

  beforeEach(async () => {
    service = new ScriptedService();
    restUrl = await service.listen();
    server = await startConsole({
      source: new ScriptedSource(farm({ nodeCount: 3 })),
      host: '127.0.0.1',
      port: 0,
      log: silentLog,
      fulfillment: { restUrl: () => restUrl, token: async () => 'of-the-installation' },
    });
  });
  afterEach(async () => {
    await server.stop();
    await service.stop();
  });

  const own = (): Record<string, string> => ({ origin: server.url, 'x-quartermaster-console': '1' });
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Response> =>
    fetch(server.url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const signIn = async (token: string): Promise<string> => {
    const answer = await send('POST', '/api/session', own(), { token });
    expect(answer.status).toBe(200);
    return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  };

  it('asks as the installation while nobody has signed in, and passes on neither cookies nor identities of the page', async () => {
    const answer = await send('GET', '/api/private/v1/hosts?filter=true', { cookie: 'a=b', authorization: 'Bearer made-up' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(service.asked[0]).toMatchObject({ method: 'GET', url: '/api/private/v1/hosts?filter=true' });
    expect(service.asked[0]?.headers.authorization).toBe('Bearer of-the-installation');
    expect(service.asked[0]?.headers.cookie).toBeUndefined();
  });

  it('changes something for its own pages alone', async () => {
    const object = { id: 'h' };
    for (const headers of [{}, { origin: server.url }, { 'x-quartermaster-console': '1' }, { ...own(), origin: 'http://evil.example' }]) {
      expect((await send('POST', '/api/private/v1/hosts', headers, object)).status).toBe(403);
      expect((await send('POST', '/api/session', headers, { token: 'of-alice' })).status).toBe(403);
    }
    expect(service.asked).toEqual([]);
    expect((await send('POST', '/api/private/v1/hosts', { ...own(), 'x-dry-run': 'true' }, object)).status).toBe(200);
    expect(service.asked[0]).toMatchObject({ method: 'POST', body: '{"id":"h"}', headers: { 'x-dry-run': 'true' } });
  });

  it('is somebody else after a sign-in, who sees nothing of the inventory, until the sign-out', async () => {
    const cookie = await signIn('of-alice');
    expect(await (await send('GET', '/api/session', { cookie })).json()).toMatchObject({
      kind: 'token',
      role: 'tenant',
      caller: { name: 'alice' },
    });
    expect((await send('GET', '/api/private/v1/hosts', { cookie })).status).toBe(403);
    for (const path of ['topics/overview', 'topics/nodes', 'search?q=node', 'stream?topic=overview']) {
      const refused = await send('GET', `/api/console/v1/${path}`, { cookie });
      expect(refused.status).toBe(403);
      expect(await refused.text()).not.toContain('node-0');
    }
    expect((await send('DELETE', '/api/session', { ...own(), cookie })).headers.getSetCookie()[0]).toContain('Max-Age=0');
    expect((await send('GET', '/api/session', { cookie })).status).toBe(401);
    expect(await (await send('GET', '/api/session')).json()).toMatchObject({ kind: 'local', role: 'provider' });
    expect((await send('GET', '/api/console/v1/topics/overview')).status).toBe(200);
  });

  it('takes a session that it does not know for nobody, and not for the installation', async () => {
    const cookie = (await signIn('of-alice')).replace(/=.*/, '=forgotten');
    for (const path of ['/api/session', '/api/private/v1/hosts', '/api/console/v1/topics/overview']) {
      expect((await send('GET', path, { cookie })).status).toBe(401);
    }
  });

  it('refuses a token that the service does not take, and one that is none', async () => {
    const wrong = await send('POST', '/api/session', own(), { token: 'of-nobody' });
    expect(wrong.status).toBe(401);
    expect(await wrong.json()).toMatchObject({ message: expect.stringContaining('the token is nobody’s') });
    expect(wrong.headers.getSetCookie()).toEqual([]);
    for (const token of ['', 'two words', 'line\nbreak', 7])
      expect((await send('POST', '/api/session', own(), { token })).status).toBe(400);
  });

  it('passes a stream through as it comes, and ends it when the page goes', async () => {
    const leaving = new AbortController();
    const answer = await fetch(`${server.url}/api/private/v1/events/watch`, {
      headers: { accept: 'text/event-stream' },
      signal: leaving.signal,
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('"bookmark":true');
    service.streams[0]?.write('data: {"token":"2"}\n\n');
    expect((await reader?.read())?.value).toContain('"token":"2"');
    const isClosed = new Promise((resolve) => service.streams[0]?.once('close', resolve));
    leaving.abort();
    await isClosed;
  });

  it('repeats a read once when its connection is lost, and never a write, which may have been done', async () => {
    expect((await send('GET', '/api/private/v1/hosts')).status).toBe(200);
    service.toDrop = 1;
    expect((await send('GET', '/api/private/v1/hosts')).status).toBe(200);
    expect(service.asked.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
    service.toDrop = 2;
    expect((await send('GET', '/api/private/v1/hosts')).status).toBe(503);
    service.toDrop = 1;
    expect((await send('POST', '/api/private/v1/hosts', own(), {})).status).toBe(503);
    expect(service.asked.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET', 'GET', 'POST']);
  });

  it('says whose a token is without letting anybody in when it is only to check', async () => {
    const checked = await send('POST', '/api/session', { ...own(), 'x-dry-run': 'true' }, { token: 'of-alice' });
    expect(await checked.json()).toMatchObject({ kind: 'token', role: 'tenant', caller: { name: 'alice' } });
    expect(checked.headers.getSetCookie()).toEqual([]);
    expect((await send('POST', '/api/session', { ...own(), 'x-dry-run': 'true' }, { token: 'of-nobody' })).status).toBe(401);
  });

  it('says since when the service is away, and who looks all the same', async () => {
    await service.stop();
    const first = await send('GET', '/api/private/v1/hosts');
    const second = await send('GET', '/api/private/v1/hosts');
    expect([first.status, second.status]).toEqual([503, 503]);
    const [one, two] = (await Promise.all([first.json(), second.json()])) as { details: { since: number }; message: string }[];
    expect(one?.details.since).toBe(two?.details.since);
    expect(one?.message).toContain(new Date(one?.details.since ?? 0).toISOString());
    expect(await (await send('GET', '/api/session')).json()).toMatchObject({
      kind: 'local',
      role: 'provider',
      problem: expect.any(String),
    });
    restUrl = undefined;
    expect(await (await send('GET', '/api/private/v1/hosts')).json()).toMatchObject({ message: expect.stringContaining('not served yet') });
  });

  it('has nothing to ask where there is no service', async () => {
    const alone = await startConsole({ source: new ScriptedSource(farm({ nodeCount: 1 })), host: '127.0.0.1', port: 0, log: silentLog });
    expect(await (await fetch(`${alone.url}/api/session`)).json()).toEqual({ kind: 'none', role: 'provider' });
    expect((await fetch(`${alone.url}/api/private/v1/hosts`)).status).toBe(404);
    await alone.stop();
  });
});
