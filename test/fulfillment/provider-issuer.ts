import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Provider } from 'oidc-provider';

/** A client of the issuer; its tokens carry these claims. */
export interface IssuerClient {
  readonly claims: Readonly<Record<string, unknown>>;
  /** Seconds. */
  readonly lifetime?: number;
}

const resource = 'urn:test:quartermaster';
const otherResource = 'urn:test:shop';
const secret = 'of-a-test-client-and-long-enough-for-anything';

/** A real OpenID Connect issuer (oidc-provider) on loopback, whose clients get JWT access tokens for themselves. */
export class ProviderIssuer {
  readonly #clients: Readonly<Record<string, IssuerClient>>;
  readonly #server: Server;
  #answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => void response.writeHead(503).end();
  #keys: JWK[] = [];
  /** Paths that were asked for. */
  readonly asked: string[] = [];

  private constructor(clients: Readonly<Record<string, IssuerClient>>) {
    this.#clients = clients;
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      this.#answer(request, response);
    });
  }

  static async start(clients: Readonly<Record<string, IssuerClient>>): Promise<ProviderIssuer> {
    const issuer = new ProviderIssuer(clients);
    issuer.#server.listen(0, '127.0.0.1');
    await once(issuer.#server, 'listening');
    await issuer.rotate();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on it signs with a new key. The earlier ones are kept for those who hold tokens, or withdrawn. */
  async rotate({ keepsOld = true }: { readonly keepsOld?: boolean } = {}): Promise<void> {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: `key-${this.#keys.length}-${Date.now()}`, alg: 'ES256', use: 'sig' };
    this.#keys = [key, ...(keepsOld ? this.#keys : [])];
    const provider = new Provider(this.url, {
      jwks: { keys: this.#keys },
      cookies: { keys: ['not-used-by-these-clients'] },
      clients: Object.keys(this.#clients).map((id) => ({
        client_id: id,
        client_secret: secret,
        grant_types: ['client_credentials'],
        id_token_signed_response_alg: 'ES256',
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_post',
      })),
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (context, indicator) => ({
            scope: '',
            audience: indicator === resource ? 'quartermaster' : 'shop',
            accessTokenFormat: 'jwt',
            accessTokenTTL: this.#clients[clientOf(context)]?.lifetime ?? 600,
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
      extraTokenClaims: (_context, token) => this.#clients[token.clientId]?.claims,
    });
    this.#answer = provider.callback();
  }

  /** Answers nothing any more but errors, or everything again. */
  away(): () => void {
    const before = this.#answer;
    this.#answer = (_request, response) => void response.writeHead(503).end();
    return () => {
      this.#answer = before;
    };
  }

  async token(client: string, { isForShop = false }: { readonly isForShop?: boolean } = {}): Promise<string> {
    const response = await fetch(`${this.url}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client,
        client_secret: secret,
        resource: isForShop ? otherResource : resource,
      }),
    });
    const answer = (await response.json()) as { readonly access_token?: string };
    if (answer.access_token === undefined) throw new Error(`the issuer gave no token: ${JSON.stringify(answer)}`);
    return answer.access_token;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function clientOf(context: unknown): string {
  const { oidc } = context as { readonly oidc: { readonly client: { readonly clientId: string } } };
  return oidc.client.clientId;
}
