import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net';

export interface Proxy {
  readonly url: string;
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** Passes bytes on, and cuts the connection after the first data from the client for which `isLast` holds, which the server still gets. */
export async function startProxy(target: string, isLast: (data: Buffer) => boolean = () => false): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connectTcp(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.end();
      });
    }
    client.on('data', (data) => {
      upstream.write(data);
      if (isLast(data)) client.destroy();
    });
    upstream.on('data', (data) => client.write(data));
  });
  let listeningPort = 0;
  const listen = (): Promise<void> => new Promise((resolve) => server.listen(listeningPort, '127.0.0.1', () => resolve()));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await listen();
  const address = server.address();
  listeningPort = typeof address === 'object' && address !== null ? address.port : 0;
  const proxied = new URL(target);
  proxied.port = String(listeningPort);
  return { url: proxied.href, pause: close, resume: listen, stop: close };
}
