import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { IssuedCertificate } from '../kube/certificates.ts';

/** Where tenants are served, as the market tells them. */
export interface GatewayAddress {
  readonly uri: string;
  readonly certificateAuthority: string;
}

/** What is shown to the gateway. */
export interface Shown {
  readonly token?: string | undefined;
  readonly certificate?: IssuedCertificate | undefined;
}

export interface Asked {
  readonly method?: string | undefined;
  readonly path: string;
  readonly body?: string | Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly shown?: Shown | undefined;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
}

export const bodyOf = <T = Readonly<Record<string, unknown>>>({ text }: Pick<Answer, 'text'>): T => JSON.parse(text) as T;

/** Asks a gateway over TLS, whose certificate it checks. */
export class GatewayClient {
  readonly #address: GatewayAddress;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(address: GatewayAddress) {
    this.#address = address;
  }

  async ask({ method = 'GET', path, body, headers = {}, shown }: Asked): Promise<Answer> {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(this.#url(path), { ...this.#options(shown), method, headers: { ...bearer(shown), ...length, ...headers } });
    outgoing.end(body);
    return await answerOf(outgoing);
  }

  /** Asks for a WebSocket. Resolves with the connection once there is one, and else with why not. */
  async upgrade({ path, headers = {}, shown }: Omit<Asked, 'method' | 'body'>): Promise<Answer & { readonly socket?: TLSSocket }> {
    const asked = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': sampleKey };
    const outgoing = request(this.#url(path), {
      ...this.#options(shown),
      agent: false,
      headers: { ...asked, ...bearer(shown), ...headers },
    });
    outgoing.end();
    const opened = new Promise<Answer & { readonly socket: TLSSocket }>((resolve) => {
      outgoing.once('upgrade', (answer, socket, head) => {
        // Its messages are to be read like those that come later.
        if (head.length > 0) socket.unshift(head);
        socket.on('error', () => socket.destroy());
        resolve({ status: answer.statusCode ?? 0, text: '', headers: answer.headers, socket: socket as TLSSocket });
      });
    });
    return await Promise.race([opened, answerOf(outgoing)]);
  }

  /** Sends these bytes, and returns what comes back before the gateway closes the connection. */
  async raw(bytes: Uint8Array): Promise<string> {
    const { hostname: host, port } = new URL(this.#address.uri);
    const socket = connect({ host, port: Number(port), ca: this.#address.certificateAuthority });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // Whoever refuses what it has not read to its end breaks off.
    socket.on('error', () => socket.destroy());
    const closed = once(socket, 'close');
    socket.write(bytes);
    await closed;
    return Buffer.concat(chunks).toString('latin1');
  }

  close(): void {
    this.#agent.destroy();
  }

  /** A path is sent as it is: what is wrong with it is for the gateway to find. */
  #url(path: string): URL {
    return new URL(path, this.#address.uri);
  }

  #options(shown: Shown | undefined): RequestOptions {
    const { certificate: cert, key } = shown?.certificate ?? {};
    return { agent: this.#agent, ca: this.#address.certificateAuthority, ...(cert !== undefined && { cert, key }) };
  }
}

/** Any 16 bytes. */
const sampleKey = Buffer.alloc(16, 1).toString('base64');

const bearer = (shown: Shown | undefined): Record<string, string> =>
  shown?.token === undefined ? {} : { authorization: `Bearer ${shown.token}` };

async function answerOf(outgoing: ReturnType<typeof request>): Promise<Answer> {
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return { status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString(), headers: answer.headers };
}
