import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConsoleBrowser } from './console-browser.ts';
import { type ScriptedConsole, startScriptedConsole } from './scripted-console.ts';
import { farm, ScriptedSource } from './scripted-source.ts';

/** A fulfillment service that knows two callers and says what it was asked. */
class ScriptedService {
  readonly asked: { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] =
    [];
  readonly #server: Server;
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
    const roles: Readonly<Record<string, string>> = { 'Bearer of-paul': 'provider', 'Bearer of-alice': 'tenant' };
    const role = roles[request.headers.authorization ?? ''];
    const send = (status: number, json: object): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'upstream=1' }).end(JSON.stringify(json));
    };
    if (role === undefined) return send(401, { code: 'unauthenticated', message: 'the token is nobody’s' });
    if (request.url === '/api/quartermaster/v1/session') return send(200, { name: role === 'tenant' ? 'alice' : 'paul', role, rights: [] });
    send(role === 'tenant' && request.url?.startsWith('/api/private') === true ? 403 : 200, { code: 'echo', role });
  }
}

describe('the console in front of the fulfillment service', () => {
  let service: ScriptedService;
  let server: ScriptedConsole;
  let paul: ConsoleBrowser;
  let alice: ConsoleBrowser;

  beforeEach(async () => {
    service = new ScriptedService();
    const args = [`--console-fulfillment-url=${await service.listen()}`];
    server = await startScriptedConsole(new ScriptedSource(farm({ nodeCount: 3 })), { args });
    [paul, alice] = [new ConsoleBrowser(undefined), new ConsoleBrowser(undefined)];
    await send(paul, 'POST', '/api/session', { token: 'of-paul' });
    await send(alice, 'POST', '/api/session', { token: 'of-alice' });
    service.asked.length = 0;
  });
  afterEach(async () => {
    await Promise.all([paul.close(), alice.close()]);
    await server.stop();
    await service.stop();
  });

  const send = (browser: ConsoleBrowser, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    browser.send(method, server.url + path, { body, headers });

  it('asks as who signed in, and passes on neither cookies nor identities of the page', async () => {
    const answer = await send(paul, 'GET', '/api/private/v1/hosts?filter=true', undefined, { authorization: 'Bearer made-up' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(service.asked[0]).toMatchObject({ method: 'GET', url: '/api/private/v1/hosts?filter=true' });
    expect(service.asked[0]?.headers.authorization).toBe('Bearer of-paul');
    expect(service.asked[0]?.headers.cookie).toBeUndefined();
  });

  it('passes on what is changed, and that it is only a trial', async () => {
    expect((await send(paul, 'POST', '/api/private/v1/hosts', { id: 'h' }, { 'x-dry-run': 'true' })).status).toBe(200);
    expect(service.asked[0]).toMatchObject({ method: 'POST', body: '{"id":"h"}', headers: { 'x-dry-run': 'true' } });
  });

  it('shows a tenant nothing of the inventory, and nobody anything after the sign-out', async () => {
    expect(await (await send(alice, 'GET', '/api/session')).json()).toMatchObject({
      kind: 'signed-in',
      caller: { name: 'alice', role: 'tenant' },
    });
    const paths = ['/api/inventory/v1/view?view=nodes', '/api/inventory/v1/search?query=node', '/api/inventory/v1/views:watch?views=nodes'];
    const statuses = async (browser: ConsoleBrowser): Promise<number[]> => {
      const answers = await Promise.all(paths.map((path) => send(browser, 'GET', path)));
      expect((await Promise.all(answers.map((answer) => answer.text()))).join()).not.toContain('node-0');
      return answers.map(({ status }) => status);
    };
    expect(await statuses(alice)).toEqual([403, 403, 403]);
    expect((await send(paul, 'GET', paths[0] ?? '')).status).toBe(200);
    expect((await send(paul, 'DELETE', '/api/session')).status).toBe(200);
    expect(await statuses(paul)).toEqual([401, 401, 401]);
  });

  it('refuses a token that the service does not take, and one that is none', async () => {
    const nobody = new ConsoleBrowser(undefined);
    const wrong = await send(nobody, 'POST', '/api/session', { token: 'of-nobody' });
    expect(wrong.status).toBe(401);
    expect(await wrong.json()).toMatchObject({ message: expect.stringContaining('the token is nobody’s') });
    for (const token of ['', 'two words', 'line\nbreak', 7])
      expect((await send(nobody, 'POST', '/api/session', { token })).status).toBe(400);
    expect(nobody.cookies.size).toBe(0);
    await nobody.close();
  });

  it('repeats a read once when its connection is lost, and never a write, which may have been done', async () => {
    const hosts = '/api/private/v1/hosts';
    service.toDrop = 1;
    expect((await send(paul, 'GET', hosts)).status).toBe(200);
    expect(service.asked.map(({ method }) => method)).toEqual(['GET', 'GET']);
    service.toDrop = 2;
    expect((await send(paul, 'GET', hosts)).status).toBe(503);
    service.toDrop = 1;
    expect((await send(paul, 'POST', hosts, {})).status).toBe(503);
    expect(service.asked.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET', 'POST']);
  });

  it('says whose a token is without letting anybody in when it is only to check', async () => {
    const nobody = new ConsoleBrowser(undefined);
    const checked = await send(nobody, 'POST', '/api/session', { token: 'of-alice' }, { 'x-dry-run': 'true' });
    expect(await checked.json()).toMatchObject({ kind: 'none', caller: { name: 'alice', role: 'tenant' } });
    expect((await send(nobody, 'POST', '/api/session', { token: 'of-nobody' }, { 'x-dry-run': 'true' })).status).toBe(401);
    expect(nobody.cookies.size).toBe(0);
    await nobody.close();
  });

  it('says since when the service is away, and that somebody is signed in all the same', async () => {
    await service.stop();
    const first = await send(paul, 'GET', '/api/private/v1/hosts');
    const second = await send(paul, 'GET', '/api/private/v1/hosts');
    expect([first.status, second.status]).toEqual([503, 503]);
    const [one, two] = (await Promise.all([first.json(), second.json()])) as { details: { since: number }; message: string }[];
    expect(one?.details.since).toBe(two?.details.since);
    expect(one?.message).toContain(new Date(one?.details.since ?? 0).toISOString());
    expect(await (await send(paul, 'GET', '/api/session')).json()).toMatchObject({ kind: 'signed-in' });
  });
});
