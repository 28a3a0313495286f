import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export type TokenAlgorithm = 'ES256K' | 'ES256KADR36';

const part = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Claims of a token that counts for an hour and for everything, and whatever else is given. */
export const claimsOf = (owner: string, changed: object = {}): Record<string, unknown> => ({
  ...{ iss: owner, iat: nowSeconds(), nbf: nowSeconds(), exp: nowSeconds() + 3_600, version: 'v1', leases: { access: 'full' } },
  ...changed,
});

/** Three parts whatever is in them; the last one is of nobody’s key unless given. */
export const joinedToken = (header: unknown, claims: unknown, signature: Uint8Array = Buffer.alloc(64, 7)): string =>
  `${part(header)}.${part(claims)}.${Buffer.from(signature).toString('base64url')}`;

/** A key with which an owner signs tokens, as wallets do. */
export class TenantKey {
  readonly #privateKey: KeyObject;
  /** Compressed, in base64, as it is registered. */
  readonly publicKey: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    this.#privateKey = privateKey;
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const isOdd = (Buffer.from(y, 'base64url').at(-1) ?? 0) & 1;
    this.publicKey = Buffer.concat([Buffer.from([2 + isOdd]), Buffer.from(x, 'base64url')]).toString('base64');
  }

  sign(text: string): Buffer {
    return sign('sha256', Buffer.from(text), { key: this.#privateKey, dsaEncoding: 'ieee-p1363' });
  }

  /** A token with these claims, whatever they are. */
  token(claims: unknown, algorithm: TokenAlgorithm = 'ES256K', header: object = {}): string {
    const signed = `${part({ alg: algorithm, typ: 'JWT', ...header })}.${part(claims)}`;
    const signer = (claims as { readonly iss?: string }).iss ?? '';
    return `${signed}.${this.sign(algorithm === 'ES256K' ? signed : adr36(signer, signed)).toString('base64url')}`;
  }
}

/** What wallets make of data that they are asked to sign, by ADR 36 of Cosmos. */
const adr36 = (signer: string, data: string): string => {
  const value = `{"data":"${Buffer.from(data).toString('base64')}","signer":"${signer}"}`;
  return `{"account_number":"0","chain_id":"","fee":{"amount":[],"gas":"0"},"memo":"","msgs":[{"type":"sign/MsgSignData","value":${value}}],"sequence":"0"}`;
};
