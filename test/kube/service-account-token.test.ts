import { verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSigningKeyPair } from './certificates.ts';
import { signServiceAccountToken } from './service-account-token.ts';

const decode = (part: string | undefined): unknown => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

describe('signServiceAccountToken', () => {
  it('names the account, ends a minute early for the forgiven skew and verifies with the public key', async () => {
    const keys = await createSigningKeyPair();
    const account = { namespace: 'shop', name: 'robot', uid: 'u-1', expiresInSeconds: 600 };
    const token = signServiceAccountToken(account, keys.privateKey, 1_000_000_999);
    const [header, claims, signature] = token.split('.');
    expect(decode(header)).toEqual({ alg: 'RS256', typ: 'JWT' });
    expect(decode(claims)).toMatchObject({
      sub: 'system:serviceaccount:shop:robot',
      exp: 1_000_000 + 600 - 60,
      'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'robot', uid: 'u-1' } },
    });
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify('RSA-SHA256', signed, keys.publicKey, Buffer.from(signature ?? '', 'base64url'))).toBe(true);
  });

  it('is valid from before its end, however brief it is', async () => {
    const keys = await createSigningKeyPair();
    const token = signServiceAccountToken({ namespace: 'a', name: 'b', uid: 'c', expiresInSeconds: 1 }, keys.privateKey, 5_000_000);
    expect(decode(token.split('.')[1])).toMatchObject({ nbf: 4940, iat: 4940, exp: 4941 });
  });
});
