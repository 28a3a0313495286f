import { get } from 'node:http';
import { connect } from 'node:net';
import { type RunningConsole, startConsole } from '@quartermaster/console';
import { silentLog } from '@quartermaster/kernel';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { farm, ScriptedSource } from './scripted-source.ts';

describe('the server of the console', () => {
  const running: RunningConsole[] = [];

  async function start(source = new ScriptedSource(farm({ nodeCount: 3 })), port = 0): Promise<RunningConsole> {
    const server = await startConsole({ source, host: '127.0.0.1', port, log: silentLog });
    running.push(server);
    return server;
  }

  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()));
  });

  it('answers what a topic says, once', async () => {
    const source = new ScriptedSource(farm({ nodeCount: 3 }));
    const { url } = await start(source);
    const read = (topic: string) => fetch(`${url}/api/console/v1/topics/${topic}`);
    const answer = await read('overview');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { installation, parts } = source.current();
    expect(await answer.json()).toMatchObject({ state: { head: { installation, parts, cluster: { nodeCount: 3 } } } });
    expect(await (await read('nodes?name=node-00001')).json()).toMatchObject({
      state: { head: { total: 3 }, rows: [{ name: 'node-00001' }] },
    });
    expect(await (await read('pods?phase=Failed&size=2')).json()).toMatchObject({
      state: { head: { total: 60, matching: 10 }, rows: [{ phase: 'Failed' }, { phase: 'Failed' }] },
    });
    const refused = await read('pods?size=5000');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ message: 'size is "5000": give a whole number from 0 to 1000' });
    expect((await read('leases')).status).toBe(404);
  });

  it('finds nodes, pods and parts by name', async () => {
    const { url } = await start(new ScriptedSource(farm({ nodeCount: 30 })));
    const find = async (text: string) =>
      (
        (await (await fetch(`${url}/api/console/v1/search?q=${encodeURIComponent(text)}`)).json()) as {
          hits: { kind: string; id: string }[];
        }
      ).hits;
    expect(await find('node-00012')).toMatchObject([{ kind: 'node', id: 'node-00012' }]);
    expect(await find('xxxx9')).toMatchObject([{ kind: 'pod', id: 'tenant-a/training-7d9c5b6f4-xxxx9' }]);
    expect(await find('console')).toMatchObject([{ kind: 'part' }]);
  });

  it('refuses a stream of nothing, of too much, and of what there is not', async () => {
    const { url } = await start();
    const status = async (query: string) => (await fetch(`${url}/api/console/v1/stream${query}`)).status;
    expect(await status('')).toBe(400);
    expect(await status(`?${Array.from({ length: 17 }, (_, page) => `topic=pods%3Fpage%3D${page}`).join('&')}`)).toBe(400);
    expect(await status('?topic=overview&topic=leases')).toBe(404);
  });

  it('sends the whole state first and then only what changed', async () => {
    const source = new ScriptedSource(farm({ nodeCount: 5_000 }));
    const { url } = await start(source);
    const stream = await openStream(url);
    const first = await stream.next();
    source.setNode('node-00003', { pods: 99 });
    const second = await stream.next();
    await stream.close();
    expect(first).toMatch(/^event: state\n/);
    expect(second).toMatch(/^event: patch\n/);
    expect(second).toContain('[["node-00003",{"pods":99}]]');
    expect(second.length).toBeLessThan(first.length / 100);
  });

  it('gives a page that stopped reading the newest state when it reads again, and nothing in between', async () => {
    const source = new ScriptedSource(farm({ nodeCount: 5_000 }));
    const { url } = await start(source);
    const slow = connect(Number(new URL(url).port), '127.0.0.1');
    slow.write(`GET /api/console/v1/stream?topic=nodes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    await new Promise((resolve) => slow.once('data', resolve));
    slow.pause();
    const quick = await openStream(url);
    await quick.next();
    for (let round = 1; round <= 12; round += 1) {
      source.setCluster(({ nodes }) => ({ nodes: nodes.map((node) => ({ ...node, pods: 1_000 + round })) }));
      await quick.next();
    }
    await quick.close();
    let text = '';
    slow.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    slow.resume();
    await vi.waitFor(() => expect(text).toContain('"pods":1012'), { timeout: 20_000, interval: 50 });
    slow.destroy();
    expect([...text.matchAll(/"node-04999",\{"pods":(\d+)/g)].length).toBeLessThan(12);
  });

  it('sets the headers that keep other sites out, on every kind of answer', async () => {
    const { url } = await start();
    for (const path of ['/', '/nodes', '/api/console/v1/topics/overview', '/api/console/v1/nothing']) {
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
    for (const path of ['/api/console/v1/topics/overview', '/api/console/v1/stream?topic=overview', '/']) {
      const { status, body } = await ask(url, path, headers);
      expect(status).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ code: 'permission_denied', message: expect.stringContaining(reason) });
    }
  });

  it('answers what it does not have with 404 and where to look', async () => {
    const { url } = await start();
    const api = await fetch(`${url}/api/console/v1/nothing`);
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

  it('says which port is taken and how to choose another', async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    await expect(start(undefined, port)).rejects.toMatchObject({
      code: 'already_exists',
      message: `port ${port} on 127.0.0.1 is in use by another program: stop that program, or choose another with --port (0 takes any free one)`,
    });
  });

  it('listens on loopback only', async () => {
    const source = new ScriptedSource(farm({ nodeCount: 1 }));
    await expect(startConsole({ source, host: '0.0.0.0', port: 0, log: silentLog })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('says what is missing when there is no page in the given folder', async () => {
    const source = new ScriptedSource(farm({ nodeCount: 1 }));
    await expect(startConsole({ source, host: '127.0.0.1', port: 0, log: silentLog, assets: import.meta.dirname })).rejects.toMatchObject({
      code: 'failed_precondition',
    });
  });

  it('stops while streams are open, and ends them', async () => {
    const { url } = await start();
    const stream = await openStream(url);
    await stream.next();
    await Promise.all(running.splice(0).map((server) => server.stop()));
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
  /** The next server-sent event. */
  next(): Promise<string>;
  close(): Promise<void>;
}

async function openStream(url: string): Promise<TestStream> {
  const { body } = await fetch(`${url}/api/console/v1/stream?topic=nodes`);
  if (body === null) throw new Error('the stream has no body');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next() {
      for (let end = text.indexOf('\n\n'); ; end = text.indexOf('\n\n')) {
        if (end >= 0) {
          const event = text.slice(0, end);
          text = text.slice(end + 2);
          return event;
        }
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream ended');
        text += value;
      }
    },
    close: () => reader.cancel(),
  };
}
