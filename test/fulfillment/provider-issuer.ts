import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Provider, type ProviderConfiguration } from 'oidc-provider';

/** A client of the issuer; its tokens carry these claims. */
export interface IssuerClient {
  readonly claims: Readonly<Record<string, unknown>>;
  /** Seconds. */
  readonly lifetime?: number;
}

/** A program that people let in with a code, without a secret of its own. */
export interface IssuerDevice {
  /** Seconds that the tokens last. */
  readonly lifetime: number;
  /** Seconds that the code lasts. Default 600. */
  readonly codeLifetime?: number;
}

/** A site that sends browsers to the issuer and has a secret of its own. */
export interface IssuerSite {
  readonly url: string;
  /** Path to which browsers come back. */
  readonly callback: string;
  /** Seconds that the tokens last. */
  readonly lifetime: number;
}

export interface ProviderIssuerOptions {
  readonly sites?: Readonly<Record<string, IssuerSite>>;
  readonly devices?: Readonly<Record<string, IssuerDevice>>;
  /** The claims of those who log in, by the name that they give. */
  readonly people?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** To ask for in a login, so that the tokens are made for the service. */
export const resource = 'urn:test:quartermaster';
/** Names whoever sits at the browser: there are no passwords here. */
export const personHeader = 'x-test-person';
/** Refuses whatever is asked of it. */
export const refuser = 'refuser';
const otherResource = 'urn:test:shop';
/** Of every client and site that has one. */
export const secret = 'of-a-test-client-and-long-enough-for-anything';

/** A real OpenID Connect issuer (oidc-provider) on loopback, whose clients get JWT access tokens for themselves or for people. */
export class ProviderIssuer {
  readonly #clients: Readonly<Record<string, IssuerClient>>;
  readonly #server: Server;
  #answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => void response.writeHead(503).end();
  #keys: JWK[] = [];
  readonly #devices: Readonly<Record<string, IssuerDevice>>;
  readonly #people: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly #sites: Readonly<Record<string, IssuerSite>>;
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  /** Called before a request for a token is answered. */
  onToken: () => void = () => {};

  private constructor(clients: Readonly<Record<string, IssuerClient>>, { devices = {}, people = {}, sites = {} }: ProviderIssuerOptions) {
    this.#clients = clients;
    this.#devices = devices;
    this.#people = people;
    this.#sites = sites;
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      if (request.url === '/token') this.onToken();
      this.#answer(request, response);
    });
  }

  static async start(clients: Readonly<Record<string, IssuerClient>>, options: ProviderIssuerOptions = {}): Promise<ProviderIssuer> {
    const issuer = new ProviderIssuer(clients, options);
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
    const provider = new Provider(this.url, this.#configuration());
    const answer = provider.callback();
    this.#answer = (request, response) => {
      if (!(request.url ?? '').startsWith(interactionPath)) answer(request, response);
      else void provider.interactionFinished(request, response, answerOf(String(request.headers[personHeader])));
    };
  }

  #configuration(): ProviderConfiguration {
    return {
      jwks: { keys: this.#keys },
      cookies: { keys: ['signs-nothing-of-value'] },
      clients: [
        ...Object.keys(this.#clients).map(confidential),
        ...Object.keys(this.#devices).map(device),
        ...Object.entries(this.#sites).map(site),
      ],
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        deviceFlow: { enabled: true },
        revocation: { enabled: true, allowedPolicy: () => true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: ({ oidc: { client } }, indicator) => ({
            scope: '',
            audience: indicator === resource ? 'quartermaster' : 'shop',
            accessTokenFormat: 'jwt',
            accessTokenTTL:
              this.#clients[client.clientId]?.lifetime ??
              this.#devices[client.clientId]?.lifetime ??
              this.#sites[client.clientId]?.lifetime ??
              600,
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
      interactions: { url: (_context, { uid }) => `${interactionPath}${uid}` },
      ttl: { DeviceCode: (_context, _token, { clientId }) => this.#devices[clientId]?.codeLifetime ?? 600 },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      // Whoever logs in agrees.
      loadExistingGrant: async ({ oidc: { client, session, provider } }) => {
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session?.accountId });
        grant.addOIDCScope('openid offline_access');
        await grant.save();
        return grant;
      },
      issueRefreshToken: (_context, _client, { scopes }) => scopes.has('offline_access'),
      extraTokenClaims: (_context, { clientId, accountId }) =>
        accountId === undefined ? this.#clients[clientId]?.claims : this.#people[accountId],
    };
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

const interactionPath = '/interaction/';

const answerOf = (person: string): object =>
  person === refuser ? { error: 'access_denied' } : { login: { accountId: person }, consent: {} };

const confidential = (id: string): object => ({
  client_id: id,
  client_secret: secret,
  grant_types: ['client_credentials'],
  id_token_signed_response_alg: 'ES256',
  redirect_uris: [],
  response_types: [],
  token_endpoint_auth_method: 'client_secret_post',
});

const device = (id: string): object => ({
  client_id: id,
  grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  id_token_signed_response_alg: 'ES256',
  redirect_uris: [],
  response_types: [],
  token_endpoint_auth_method: 'none',
});

const site = ([id, { url, callback }]: readonly [string, IssuerSite]): object => ({
  client_id: id,
  client_secret: secret,
  grant_types: ['authorization_code', 'refresh_token'],
  id_token_signed_response_alg: 'ES256',
  redirect_uris: [`${url}${callback}`],
  post_logout_redirect_uris: [`${url}/`],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_post',
});
