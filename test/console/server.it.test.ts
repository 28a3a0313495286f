import { get } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConsoleBrowser } from './console-browser.ts';
import { type ScriptedConsole, scriptedToken, startScriptedConsole } from './scripted-console.ts';
import { farm, ScriptedSource } from './scripted-source.ts';

describe('the server of the console', () => {
  const running: { stop(): Promise<void> }[] = [];

  async function start(source = new ScriptedSource(farm({ nodeCount: 3 })), port = 0): Promise<ScriptedConsole> {
    const server = await startScriptedConsole(source, { port });
    running.push(server);
    return server;
  }

  async function enter(url: string): Promise<ConsoleBrowser> {
    const browser = new ConsoleBrowser(undefined);
    running.push({ stop: () => browser.close() });
    expect((await browser.send('POST', `${url}/api/session`, { body: { token: scriptedToken } })).status).toBe(200);
    return browser;
  }

  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()));
  });

  it('sends the whole state of a view first and then only what changed', async () => {
    const source = new ScriptedSource(farm({ nodeCount: 5_000 }));
    const { url } = await start(source);
    const stream = await openStream(await enter(url), url);
    const first = await stream.next();
    source.setNode('node-00003', { pods: 99 });
    const second = await stream.next();
    await stream.close();
    expect(first).toContain('"state":');
    expect(second).toContain('[["node-00003",{"pods":99}]]');
    expect(second.length).toBeLessThan(first.length / 100);
  });

  it('gives a page that stopped reading the newest state when it reads again, and nothing in between', async () => {
    const source = new ScriptedSource(farm({ nodeCount: 5_000 }));
    const { url } = await start(source);
    const browser = await enter(url);
    const { host, port } = new URL(url);
    const slow = connect(Number(port), '127.0.0.1');
    const cookie = browser.cookieHeader;
    slow.write(
      `GET /api/inventory/v1/views:watch?views=nodes HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\nCookie: ${cookie}\r\nX-Quartermaster-Console: ${browser.key}\r\n\r\n`,
    );
    await new Promise((resolve) => slow.once('data', resolve));
    slow.pause();
    const quick = await openStream(browser, url);
    await quick.next();
    const rounds = 40;
    for (let round = 1; round <= rounds; round += 1) {
      source.setCluster(({ nodes }) => ({ nodes: nodes.map((node) => ({ ...node, pods: 1_000 + round })) }));
      await quick.next();
    }
    await quick.close();
    let text = '';
    slow.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    slow.resume();
    await vi.waitFor(() => expect(text).toContain(`"pods":${1_000 + rounds}`), { timeout: 20_000, interval: 50 });
    slow.destroy();
    expect([...text.matchAll(/"node-04999",\{"pods":(\d+)/g)].length).toBeLessThan(rounds);
  });

  it('sets the headers that keep other sites out, on every kind of answer', async () => {
    const { url } = await start();
    for (const path of ['/', '/nodes', '/api/console/v1/installation', '/api/console/v1/nothing']) {
      const { headers } = await fetch(url + path);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
  });

  it('gives every page a nonce of its own', async () => {
    const { url } = await start();
    const nonces = await Promise.all([0, 1].map(async () => /nonce="([^"]+)"/.exec(await (await fetch(url)).text())?.[1]));
    expect(nonces[0]).toMatch(/^[\w+/]{22}==$/);
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it.each([
    [{ host: 'evil.example' }, 'Host'],
    [{ origin: 'http://evil.example' }, 'evil.example'],
    [{ 'sec-fetch-site': 'cross-site' }, 'another site'],
  ])('refuses a request with %j', async (headers, reason) => {
    const { url } = await start();
    for (const path of ['/api/console/v1/installation', '/api/inventory/v1/views:watch?views=nodes', '/api/session', '/']) {
      const { status, body } = await ask(url, path, headers);
      expect(status).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ code: 'permission_denied', message: expect.stringContaining(reason) });
    }
  });

  it('answers what it does not have with 404 and where to look', async () => {
    const { url } = await start();
    const browser = await enter(url);
    const api = await browser.send('GET', `${url}/api/console/v1/nothing`);
    expect(api.status).toBe(404);
    expect(await api.json()).toMatchObject({ code: 'not_found' });
    expect((await fetch(`${url}/assets/nothing.js`)).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  });

  it.each(['/assets/../index.html', '/assets/..%2f..%2f..%2fpackage.json', '/assets/%2e%2e/%2e%2e/%2e%2e/package.json'])(
    'serves no file outside of the built page: %s',
    async (path) => {
      const { url } = await start();
      const { status, body } = await ask(url, path);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(body).not.toContain('dependencies');
    },
  );

  it('stops while streams are open, and ends them', async () => {
    const server = await start();
    const stream = await openStream(await enter(server.url), server.url);
    await stream.next();
    await server.stop();
    await expect(stream.next()).rejects.toThrow(/terminated|ended/);
  });
});

/** Sends path and headers as they are, which fetch does not. */
function ask(url: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    get({ host: hostname, port, path, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        body += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    }).once('error', reject);
  });
}

interface TestStream {
  /** The next server-sent event that says something: a stream also tells by the clock that it is alive. */
  next(): Promise<string>;
  close(): Promise<void>;
}

const isTelling = (event: string): boolean => event.includes('"view":');

async function openStream(browser: ConsoleBrowser, url: string): Promise<TestStream> {
  const { body } = await browser.send('GET', `${url}/api/inventory/v1/views:watch?views=nodes`, {
    headers: { accept: 'text/event-stream' },
  });
  if (body === null) throw new Error('the stream has no body');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next() {
      for (let end = text.indexOf('\n\n'); ; end = text.indexOf('\n\n')) {
        if (end >= 0) {
          const event = text.slice(0, end);
          text = text.slice(end + 2);
          if (isTelling(event)) return event;
          continue;
        }
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream ended');
        text += value;
      }
    },
    close: () => reader.cancel(),
  };
}
