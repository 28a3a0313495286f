import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { IssuedCertificate } from '../kube/certificates.ts';

/**
 * A small OpenID Connect issuer on loopback: discovery, keys, and a token endpoint that takes a refresh token, once, and gives
 * a new id token and a new refresh token.
 */
export class OidcIssuer {
  readonly clientId = 'kubernetes';
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #server: Server;
  #refreshToken = randomUUID();
  #refreshes = 0;
  #lifetimeSeconds = 3600;

  private constructor(certificate: IssuedCertificate) {
    this.#server = createServer({ cert: certificate.certificate, key: certificate.key }, (request, response) => {
      void this.#answer(request, response);
    });
  }

  static async start(certificate: IssuedCertificate): Promise<OidcIssuer> {
    const issuer = new OidcIssuer(certificate);
    issuer.#server.listen(0, '127.0.0.1');
    await once(issuer.#server, 'listening');
    return issuer;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The one that the next refresh has to show. */
  get refreshToken(): string {
    return this.#refreshToken;
  }

  get refreshes(): number {
    return this.#refreshes;
  }

  set lifetimeSeconds(seconds: number) {
    this.#lifetimeSeconds = seconds;
  }

  /** A token of `alice` unless the claims name somebody else. */
  idToken(expiresInSeconds = this.#lifetimeSeconds, more: Readonly<Record<string, unknown>> = {}): string {
    const now = Math.floor(Date.now() / 1000);
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: this.url, aud: this.clientId, sub: 'alice', iat: now - 60, exp: now + expiresInSeconds, ...more };
    const unsigned = `${encode({ alg: 'RS256', kid: 'one', typ: 'JWT' })}.${encode(claims)}`;
    return `${unsigned}.${sign('RSA-SHA256', Buffer.from(unsigned), this.#keys.privateKey).toString('base64url')}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return send(200, {
          issuer: this.url,
          jwks_uri: `${this.url}/keys`,
          token_endpoint: `${this.url}/token`,
          authorization_endpoint: `${this.url}/authorize`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        });
      case '/keys':
        return send(200, { keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] });
      case '/token': {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
        if (form.get('refresh_token') !== this.#refreshToken) return send(400, { error: 'invalid_grant' });
        this.#refreshes += 1;
        this.#refreshToken = randomUUID();
        return send(200, {
          access_token: randomUUID(),
          token_type: 'Bearer',
          expires_in: this.#lifetimeSeconds,
          id_token: this.idToken(),
          refresh_token: this.#refreshToken,
        });
      }
      default:
        return send(404, {});
    }
  }
}
