import { readFile } from 'node:fs/promises';
import { type Clock, messageOf, StatusError } from '@quartermaster/kernel';
import { Agent, fetch } from 'undici';

/** The `config` of an `oidc` auth-provider in a kubeconfig, by its own names. */
export type OidcConfig = Readonly<Record<string, string | undefined>>;

/** A token this close to its end is not worth sending. */
const leewayMs = 10_000;

/**
 * The id token of an OIDC user, refreshed at its issuer when it runs out. client-node's own refresh cannot be used: release 2.0.1
 * passes its issuer in a form that openid-client refuses, and takes the lifetime of a token for the time of its end.
 */
export class OidcToken {
  readonly #config: OidcConfig;
  readonly #clock: Clock;
  #idToken: string;
  /** The issuer may give a new one with every refresh; the one in the kubeconfig is then worth nothing. */
  #refreshToken: string | undefined;

  constructor(config: OidcConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
    this.#idToken = config['id-token'] ?? '';
    this.#refreshToken = config['refresh-token'];
  }

  /** Forced: the server has refused the token that we had. */
  async current({ forced }: { readonly forced: boolean }): Promise<string> {
    if (!forced && expiryOf(this.#idToken) - leewayMs > this.#clock.now()) return this.#idToken;
    // Without a way to refresh, the server's own answer to the old token says best what is wrong.
    if (this.#refreshToken === undefined) return this.#idToken;
    await this.#refresh(this.#refreshToken);
    return this.#idToken;
  }

  async #refresh(refreshToken: string): Promise<void> {
    const { customFetch, discovery, refreshTokenGrant } = await import('openid-client');
    const issuer = this.#required('idp-issuer-url');
    const dispatcher = await this.#dispatcher();
    // The authority of the issuer is private as a rule, which only undici's own fetch can be told.
    const send = (url: string, init: object): Promise<Response> =>
      fetch(url, { ...init, dispatcher }) as Promise<unknown> as Promise<Response>;
    try {
      const client = await discovery(new URL(issuer), this.#required('client-id'), this.#config['client-secret'], undefined, {
        [customFetch]: send,
      });
      const answer = await refreshTokenGrant(client, refreshToken);
      if (answer.id_token === undefined) throw new StatusError('unauthenticated', `issuer ${issuer} issued no ID token`);
      this.#idToken = answer.id_token;
      this.#refreshToken = answer.refresh_token ?? refreshToken;
    } catch (error) {
      throw new StatusError('unauthenticated', `the OIDC token cannot be refreshed at ${issuer}: ${messageOf(error)}`, { cause: error });
    } finally {
      await dispatcher.close();
    }
  }

  async #dispatcher(): Promise<Agent> {
    const { 'idp-certificate-authority': file, 'idp-certificate-authority-data': data } = this.#config;
    const ca = data === undefined ? file && (await readFile(file, 'utf8')) : Buffer.from(data, 'base64').toString('utf8');
    return new Agent({ connect: ca === undefined || ca === '' ? {} : { ca } });
  }

  #required(name: 'idp-issuer-url' | 'client-id'): string {
    const value = this.#config[name];
    if (value === undefined) throw new StatusError('invalid_argument', `the kubeconfig's oidc auth-provider needs ${name}`);
    return value;
  }
}

/** The end of a JWT in ms since the epoch; 0 for anything that is none. Its signature is the server's concern. */
function expiryOf(token: string): number {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as { exp?: number };
    return (claims.exp ?? 0) * 1000;
  } catch {
    return 0;
  }
}
