import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

/** An issuer on loopback that knows the device flow alone: a test says what it answers. */
export class ScriptedIssuer {
  readonly #server: Server;
  /** Forms that were sent to the token endpoint. */
  readonly asked: URLSearchParams[] = [];
  /** What the token endpoint answers next, in order; the last one again and again. */
  answers: readonly Readonly<Record<string, unknown>>[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ScriptedIssuer> {
    const server = createServer();
    const issuer = new ScriptedIssuer(server);
    server.on('request', (request, response) => {
      void issuer.#answer(request).then((body) => {
        response.writeHead('error' in body ? 400 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return issuer;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
    const form = new URLSearchParams(await text(request));
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return {
          issuer: this.url,
          token_endpoint: `${this.url}/token`,
          device_authorization_endpoint: `${this.url}/device`,
          jwks_uri: `${this.url}/keys`,
        };
      case '/device':
        return {
          device_code: 'device-code',
          user_code: 'WXYZ-1234',
          verification_uri: `${this.url}/confirm`,
          expires_in: 600,
          interval: 1,
        };
      case '/token': {
        this.asked.push(form);
        const [answer = { error: 'access_denied' }, ...rest] = this.answers;
        if (rest.length > 0) this.answers = rest;
        return answer;
      }
      default:
        return { error: 'not_found' };
    }
  }
}
