import { StatusError } from '@quartermaster/kernel';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { ReadJson } from '../src/read-json.ts';

interface Signer {
  readonly kid: string;
  readonly alg: string;
  readonly key: CryptoKey;
  readonly jwk: JWK;
}

/** An issuer without a network: its documents are read from memory, and a test turns its keys and takes it away. */
export class ScriptedIssuer {
  readonly url = 'https://issuer.test';
  readonly #now: () => number;
  #signers: Signer[] = [];
  /** What it calls itself in its discovery document. */
  name = this.url;
  isDown = false;
  /** Addresses that were asked for, in order. */
  readonly asked: string[] = [];

  private constructor(now: () => number) {
    this.#now = now;
  }

  static async create(now: () => number): Promise<ScriptedIssuer> {
    const issuer = new ScriptedIssuer(now);
    await issuer.addKey('one');
    return issuer;
  }

  async addKey(kid: string, alg = 'ES256'): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    this.#signers = [...this.#signers, { kid, alg, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }];
  }

  dropKey(kid: string): void {
    this.#signers = this.#signers.filter((signer) => signer.kid !== kid);
  }

  readonly readJson: ReadJson = async (url) => {
    this.asked.push(url.pathname);
    if (this.isDown) throw new StatusError('unavailable', 'connect ECONNREFUSED');
    if (url.pathname === '/.well-known/openid-configuration') return { issuer: this.name, jwks_uri: `${this.url}/keys` };
    return { keys: this.#signers.map(({ jwk }) => jwk) };
  };

  /** A good token for ten minutes, unless claims or header say otherwise. */
  async token(
    claims: Readonly<Record<string, unknown>> = {},
    { kid, alg }: { readonly kid?: string; readonly alg?: string } = {},
  ): Promise<string> {
    const signer = this.#signers.find((each) => each.kid === kid) ?? this.#signers.at(-1);
    if (signer === undefined) throw new Error('the issuer has no key');
    const now = Math.floor(this.#now() / 1000);
    const all = {
      iss: this.url,
      aud: 'quartermaster',
      sub: 'id-of-ann',
      username: 'ann',
      groups: ['blue'],
      iat: now,
      exp: now + 600,
      ...claims,
    };
    return await new SignJWT(withoutUndefined(all)).setProtectedHeader({ alg: alg ?? signer.alg, kid: kid ?? signer.kid }).sign(signer.key);
  }
}

function withoutUndefined(claims: Readonly<Record<string, unknown>>): JWTPayload {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}
