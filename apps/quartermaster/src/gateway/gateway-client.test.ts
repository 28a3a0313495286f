import { FakeClock } from '@quartermaster/kernel';
import { selfSignedTls } from '@quartermaster/service';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayClient } from './gateway-client.ts';
import { FakeGateway } from './test/fake-gateway.ts';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await FakeGateway.start();
});
afterEach(async () => await gateway.stop());

const { signal } = new AbortController();
const client = (more: Partial<ConstructorParameters<typeof GatewayClient>[0]> = {}) =>
  new GatewayClient({ uri: gateway.uri, ca: gateway.ca, token: 't', ...more });

describe('requests', () => {
  it('show the token and get the object', async () => {
    gateway.answer = () => ({ status: 200, body: { services: {} } });
    expect(await client({ uri: `${gateway.uri}/` }).get('/lease/7/1/1/status', signal)).toEqual({ services: {} });
    expect(gateway.asked).toMatchObject([{ method: 'GET', path: '/lease/7/1/1/status', token: 't', commonName: undefined }]);
  });

  it('show a certificate instead', async () => {
    gateway.answer = () => ({ status: 200 });
    const { cert, key } = (await selfSignedTls({ commonName: 'acme' })).serverOptions();
    await client({ token: undefined, cert: String(cert), key: String(key) }).put('/deployment/7/manifest', '[]', signal);
    expect(gateway.asked).toMatchObject([{ method: 'PUT', body: '[]', token: undefined, commonName: 'acme' }]);
  });

  it('fail as the gateway says', async () => {
    gateway.answer = () => ({ status: 404, body: { message: 'no such lease' } });
    await expect(client().get('/x', signal)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/: no such lease$/),
    });
    gateway.answer = () => ({ status: 502, body: 'bad gateway' });
    await expect(client().get('/x', signal)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/: bad gateway$/),
    });
  });

  it('end with the signal, and with the time that they have', async () => {
    const ended = new AbortController();
    gateway.answer = () => {
      ended.abort(new Error('enough'));
      return { status: 200 };
    };
    await expect(client().get('/x', ended.signal)).rejects.toThrow('enough');
    await expect(client().get('/x', AbortSignal.timeout(0))).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('the certificate of the gateway', () => {
  it('is of the authority that was named, or of none that is trusted', async () => {
    const other = String((await selfSignedTls({ commonName: 'localhost' })).serverOptions().cert);
    for (const ca of [undefined, other]) {
      const failure = { code: 'unavailable', message: expect.stringContaining('of no authority that is trusted here') };
      await expect(client({ ca }).get('/x', signal)).rejects.toMatchObject(failure);
      await expect(client({ ca }).stream('/x', () => {}, signal)).rejects.toMatchObject(failure);
    }
    expect(gateway.asked).toEqual([]);
  });

  it('is for the name that was asked', async () => {
    const uri = `https://127.0.0.1:${gateway.port}`;
    await expect(client({ uri }).get('/x', signal)).rejects.toMatchObject({ message: expect.stringContaining('for another name') });
    await expect(client({ uri }).stream('/x', () => {}, signal)).rejects.toMatchObject({
      message: expect.stringContaining('for another name'),
    });
    expect(gateway.asked).toEqual([]);
  });

  it.each(['http://localhost:1', 'localhost:1', 'https://u:p@localhost', 'https://localhost/?a=b', ''])(
    'is always asked for: not of %j',
    (uri) => {
      expect(() => client({ uri })).toThrow('must be https://HOST:PORT');
    },
  );
});

describe('streams', () => {
  it('bring messages in their order, and say how they ended', async () => {
    gateway.play = (socket) => {
      socket.send('one');
      socket.send(Buffer.from('two'));
      socket.close(4003, 'the lease is closed');
    };
    const taken: string[] = [];
    const { ended } = await client().stream('/x?a=b', (message) => taken.push(message.toString()), signal);
    expect(await ended).toEqual({ code: 4003, reason: 'the lease is closed' });
    expect(taken).toEqual(['one', 'two']);
    expect(gateway.asked).toMatchObject([{ path: '/x', query: { a: 'b' }, token: 't' }]);
  });

  it('are refused as requests are, by what is no gateway, too', async () => {
    gateway.answer = () => ({ status: 403, body: { message: 'needs the scope logs' } });
    const open = () => client().stream('/x', () => {}, signal);
    await expect(open()).rejects.toMatchObject({ code: 'permission_denied', message: expect.stringContaining('needs the scope logs') });
    gateway.answer = () => ({ status: 200 });
    await expect(open()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('in place of a WebSocket') });
    await gateway.stop();
    await expect(open()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('cannot be asked') });
  });

  it('end with the signal', async () => {
    const closed = Promise.withResolvers<void>();
    gateway.play = (socket) => socket.on('close', () => closed.resolve());
    const ended = new AbortController();
    const stream = await client().stream('/x', () => {}, ended.signal);
    ended.abort();
    await closed.promise;
    expect((await stream.ended).code).toBe(1006);
    await expect(client().stream('/x', () => {}, ended.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('are given up where nothing is heard, but not where somebody asks whether they are there', async () => {
    const clock = new FakeClock();
    const sockets: { ping(): void }[] = [];
    gateway.play = (socket) => sockets.push(socket);
    const { ended } = await client({ clock }).stream('/x', () => {}, signal);
    let end: unknown;
    void ended.then((found) => {
      end = found;
    });
    await clock.advance(40_000);
    await new Promise<void>((resolve) => {
      const [socket] = sockets;
      (socket as unknown as { once(event: 'pong', listener: () => void): void }).once('pong', resolve);
      socket?.ping();
    });
    await clock.advance(40_000);
    expect(end).toBeUndefined();
    await clock.advance(20_000);
    await expect.poll(() => end).toMatchObject({ code: 1006, reason: 'it was silent for 45 s' });
  });
});
