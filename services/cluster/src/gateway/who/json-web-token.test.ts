import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { FakeClock } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { part, tokenClaimsOf, tokenSigner } from '../../../test/token-signer.ts';
import { checkTimes, isSignedBy, readToken } from './json-web-token.ts';

const amy = tokenSigner(1);
const bob = tokenSigner(2);
const refusal = (code: string, text = ''): unknown => expect.objectContaining({ code, message: expect.stringContaining(text) });
const counts = (token: string): boolean => isSignedBy(readToken(token), amy.key.key);
const withSignature = (token: string, change: (bytes: Buffer) => Buffer): string => {
  const [header, claims, signature = ''] = token.split('.');
  return `${header}.${claims}.${change(Buffer.from(signature, 'base64url')).toString('base64url')}`;
};

describe('a token', () => {
  it('is what its header says, and who signed it has signed it', () => {
    for (const alg of ['ES256K', 'ES256KADR36']) {
      const token = amy.sign(tokenClaimsOf(), { alg, typ: 'JWT' });
      expect(readToken(token)).toMatchObject({ algorithm: alg, claims: { iss: 'amy', leases: { access: 'full' } } });
      expect(counts(token)).toBe(true);
      expect(isSignedBy(readToken(token), bob.key.key)).toBe(false);
    }
  });

  it('signed in one way does not count in the other', () => {
    const [, claims, signature] = amy.sign(tokenClaimsOf()).split('.');
    expect(counts(`${part({ alg: 'ES256KADR36' })}.${claims}.${signature}`)).toBe(false);
  });

  it('counts with either of the two signatures that say the same', () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const other = withSignature(amy.sign(tokenClaimsOf()), (bytes) => {
      const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
      return Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
    });
    expect(counts(other)).toBe(true);
  });

  it('does not count when a bit of it is another one', () => {
    const token = amy.sign(tokenClaimsOf());
    fc.assert(
      fc.property(fc.nat(63), fc.nat(7), (at, bit) => {
        const broken = withSignature(token, (bytes) => Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ (1 << bit) : byte))));
        expect(counts(broken)).toBe(false);
      }),
      { numRuns: 50 },
    );
    for (const empty of [0, 255]) expect(counts(withSignature(token, (bytes) => Buffer.alloc(bytes.length, empty)))).toBe(false);
  });

  it('does not count with the claims of another one', () => {
    const [header, , signature] = amy.sign(tokenClaimsOf({ leases: { access: 'scoped', scope: ['logs'] } })).split('.');
    expect(counts(`${header}.${part(tokenClaimsOf())}.${signature}`)).toBe(false);
  });

  it('is signed by no key that is none, and by none of another curve', () => {
    const token = readToken(amy.sign(tokenClaimsOf()));
    for (const key of [Buffer.alloc(0), Buffer.alloc(33), Buffer.alloc(33, 2), Buffer.from('no key')])
      expect(isSignedBy(token, key)).toBe(false);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const said = `${part({ alg: 'ES256K' })}.${part(tokenClaimsOf())}`;
    const other = sign('sha256', Buffer.from(said), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    expect(counts(`${said}.${other}`)).toBe(false);
  });

  it.each([
    ['none', ''],
    ['None', ''],
    ['HS256', createHmac('sha256', amy.key.key).update('x').digest('base64url')],
    ['ES256', Buffer.alloc(64, 1).toString('base64url')],
    ['es256k', Buffer.alloc(64, 1).toString('base64url')],
    [undefined, Buffer.alloc(64, 1).toString('base64url')],
    [['ES256K'], Buffer.alloc(64, 1).toString('base64url')],
  ])('with the algorithm %s is none that counts', (alg, signature) => {
    expect(() => readToken(`${part({ alg })}.${part(tokenClaimsOf())}.${signature}`)).toThrow(
      refusal('unauthenticated', 'ES256K or ES256KADR36'),
    );
  });

  it('that asks for what is not understood does not count', () => {
    for (const crit of [['b64'], [], null])
      expect(() => readToken(amy.sign(tokenClaimsOf(), { alg: 'ES256K', crit, b64: false }))).toThrow(refusal('unauthenticated'));
  });

  it.each([
    ['has two parts', 'a.b', 'three parts'],
    ['has four parts', 'a.b.c.d', 'three parts'],
    ['is empty', '', 'three parts'],
    ['has an empty header', `.${part({})}.AA`, 'header in base64url'],
    ['has blanks', ` ${part({ alg: 'ES256K' })}.${part({})}.AA`, 'header in base64url'],
    ['is padded', `${part({ alg: 'ES256K' })}.${part({})}==.AA`, 'claims in base64url'],
    ['has base64 of the other alphabet', `${part({ alg: 'ES256K' })}.+/+/.AA`, 'claims in base64url'],
    ['has bits over', `${part({ alg: 'ES256K' })}.QQR.AA`, 'claims in base64url'],
    ['is no JSON', `${Buffer.from('{').toString('base64url')}.${part({})}.AA`, 'JSON as its header'],
    ['is no UTF-8', `${part({ alg: 'ES256K' })}.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.AA`, 'JSON as its claims'],
    ['has a header that is no object', `${part('ES256K' as never)}.${part({})}.AA`, 'header that is a JSON object'],
    ['is huge', `${part({ alg: 'ES256K', x: 'x'.repeat(20_000) })}.${part({})}.AA`, 'longer than 16384'],
  ])('that %s is malformed', (_what, token, text) => {
    expect(() => readToken(token)).toThrow(refusal('invalid_argument', text));
  });

  it('whose signature is cut off, too long or spelled otherwise does not count', () => {
    const token = amy.sign(tokenClaimsOf());
    const wrong = [token.slice(0, -2), `${token}AA`, `${token}=`, token.slice(0, token.lastIndexOf('.') + 1)];
    for (const each of wrong) expect(() => readToken(each)).toThrow(refusal('unauthenticated', '64 bytes'));
  });

  it('never fails in another way, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc
            .tuple(fc.json(), fc.json(), fc.string())
            .map((parts) => parts.map((each) => Buffer.from(each).toString('base64url')).join('.')),
        ),
        (text) => {
          expect(() => readToken(text)).toThrow(
            expect.objectContaining({ code: expect.stringMatching(/^(?:invalid_argument|unauthenticated)$/) }),
          );
        },
      ),
    );
  });
});

describe('a token of the published library', () => {
  // Made by JwtTokenManager 1.0.0-alpha.25 with a wallet of @cosmjs/amino, of the words that are abandon eleven times and about.
  const iss = 'akash19rl4cm2hmr8afy4kldpxz3fka4jguq0a3mq6x0';
  const key = Buffer.from('Ak9OKtmcNNYLm6YoPJQxqEGK+GcyEpYfl6d7Y3f80Fti', 'base64');
  const leases = { access: 'scoped', scope: ['logs'] };
  const claims = part({ exp: 4_102_444_800, iat: 1_767_225_600, iss, leases, nbf: 1_767_225_600, version: 'v1' });

  it.each([
    ['ES256KADR36', 'ukXF7wNUQXLz9N30LEMfZ88oKjsb3a-Ixw7ewfsfK-8FucHua0XJ6PYObcKjcItE0g7wZpKVZu3ORZVPow59_Q'],
    ['ES256K', '0bemYUDS9kGl7FMGLHfpBvxAsN18zeM0Ao_Nn9MHYoUKbmGRfAXvNRG1wLFARgaqOjOrYVYSVrZir4eSAZE03Q'],
  ])('counts, signed with %s', (alg, signature) => {
    const read = readToken(`${part({ alg, typ: 'JWT' })}.${claims}.${signature}`);
    expect(read.claims).toMatchObject({ iss, leases });
    expect(isSignedBy(read, key)).toBe(true);
    expect(isSignedBy(read, amy.key.key)).toBe(false);
  });
});

describe('the times of a token', () => {
  const clock = new FakeClock();
  const at = clock.now() / 1000;
  const check = (changed: object): void => checkTimes(readToken(amy.sign(tokenClaimsOf(changed))).claims, clock.now());

  it('are now, give or take what clocks differ by', () => {
    expect(() => check({ exp: at + 1, nbf: at + 60, iat: at + 60 })).not.toThrow();
  });

  it.each([
    [{ exp: at }, 'expired at 2026-01-01T00:00:00.000Z'],
    [{ exp: 0 }, 'expired at 1970'],
    [{ nbf: at + 61 }, 'not valid before 2026-01-01T00:01:01.000Z'],
    [{ iat: at + 61 }, 'issued at 2026-01-01T00:01:01.000Z'],
    [{ nbf: Number.MAX_SAFE_INTEGER }, 'not valid before 9007199254740991 s'],
  ])('as in %o are not', (changed, text) => {
    expect(() => check(changed)).toThrow(refusal('unauthenticated', text));
  });

  it('end with the clock', async () => {
    const { claims } = readToken(amy.sign(tokenClaimsOf({ exp: at + 10 })));
    await clock.advance(9_999);
    expect(() => checkTimes(claims, clock.now())).not.toThrow();
    await clock.advance(1);
    expect(() => checkTimes(claims, clock.now())).toThrow(refusal('unauthenticated', 'expired'));
  });
});
