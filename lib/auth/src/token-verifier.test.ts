import { createHmac } from 'node:crypto';
import { FakeClock, type Log, silentLog } from '@quartermaster/kernel';
import { beforeEach, describe, expect, it } from 'vitest';
import { ScriptedIssuer } from '../test/scripted-issuer.ts';
import { IssuerKeys, type KeySource } from './issuer-keys.ts';
import { TokenVerifier } from './token-verifier.ts';

let clock: FakeClock;
let issuer: ScriptedIssuer;

beforeEach(async () => {
  clock = new FakeClock();
  issuer = await ScriptedIssuer.create(() => clock.now());
});

function keysOfIssuer(log: Log = silentLog): KeySource {
  return new IssuerKeys({ issuer: issuer.url, readJson: issuer.readJson, clock, log });
}

function verifier(log: Log = silentLog, keys: KeySource = keysOfIssuer(log)): TokenVerifier {
  const claims = { nameClaims: ['username', 'preferred_username', 'sub'], groupsClaim: 'groups' };
  return new TokenVerifier({ issuers: [{ issuer: issuer.url, kind: 'oidc', audiences: ['quartermaster'], keys, ...claims }], clock });
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const tampered = (token: string, change: (claims: Record<string, unknown>) => object): string => {
  const [header, payload = '', signature] = token.split('.');
  return [header, encode(change(JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>)), signature].join('.');
};

describe('a token', () => {
  it('says who its bearer is', async () => {
    expect(await verifier().verify(await issuer.token())).toEqual({
      kind: 'oidc',
      name: 'ann',
      groups: ['blue'],
      endsAt: clock.now() + 630_000,
    });
  });

  it.each([
    [{ username: undefined, preferred_username: 'pref' }, 'pref'],
    [{ username: undefined }, 'id-of-ann'],
    [{ username: '' }, 'id-of-ann'],
    [{ username: 7 }, 'id-of-ann'],
  ])('with the claims %j is that of %s', async (claims, name) => {
    expect(await verifier().verify(await issuer.token(claims))).toMatchObject({ name });
  });

  it.each([
    [{ groups: undefined }, []],
    [{ groups: 'blue' }, []],
    [{ groups: ['a', 1, null, 'b'] }, ['a', 'b']],
  ])('with %j belongs to %j', async (claims, groups) => {
    expect(await verifier().verify(await issuer.token(claims))).toMatchObject({ groups });
  });

  it('of an issuer brings no role of ours', async () => {
    const verified = await verifier().verify(await issuer.token({ role: 'admin', source: 'bcm' }));
    expect(Object.keys(verified ?? {}).toSorted()).toEqual(['endsAt', 'groups', 'kind', 'name', 'tokenId']);
  });

  it.each([
    ['has expired', { exp: 1 }, /has expired: get a new one/],
    ['never expires', { exp: undefined }, /claim exp .* missing/],
    ['is for somebody else', { aud: 'shop' }, /audience must be quartermaster/],
    ['is for nobody', { aud: undefined }, /audience must be quartermaster/],
    ['begins later', { nbf: 9_999_999_999 }, /not valid yet: compare the clocks/],
    ['names a service account', { username: 'system:serviceaccount:a:b' }, /not starting with "system:"/],
    ['names a user with a line break', { username: 'a\nb' }, /control character/],
    ['names nobody', { username: undefined, sub: undefined }, /names no user/],
  ])('that %s is refused', async (_what, claims, message) => {
    const token = await issuer.token(claims);
    await expect(verifier().verify(token)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringMatching(message),
    });
  });

  it('may have expired a moment ago by a clock that differs', async () => {
    const token = await issuer.token({ exp: Math.floor(clock.now() / 1000) - 20 });
    expect(await verifier().verify(token)).toMatchObject({ name: 'ann' });
  });

  it.each(['', 'abc', 'a.b.c', 'x'.repeat(9_000)])('that is none (%#) is not that of a trusted issuer', async (token) => {
    expect(await verifier().verify(token)).toBeUndefined();
  });

  it('of another issuer is left to others', async () => {
    expect(await verifier().verify(await issuer.token({ iss: 'https://elsewhere.test' }))).toBeUndefined();
    expect(issuer.asked).toEqual([]);
  });

  it('without a signature is refused, whatever its header says', async () => {
    const [, payload] = (await issuer.token()).split('.');
    for (const alg of ['none', 'None', 'NONE', '']) {
      await expect(verifier().verify(`${encode({ alg })}.${payload}.`)).rejects.toMatchObject({ code: 'unauthenticated' });
    }
  });

  it('that is signed with the public key as if that were a shared secret is refused', async () => {
    const keys = JSON.stringify(await issuer.readJson(new URL(`${issuer.url}/keys`), AbortSignal.timeout(1000)));
    const [, payload] = (await issuer.token()).split('.');
    const unsigned = `${encode({ alg: 'HS256', kid: 'one' })}.${payload}`;
    const token = `${unsigned}.${createHmac('sha256', keys).update(unsigned).digest('base64url')}`;
    await expect(verifier().verify(token)).rejects.toThrow(/algorithm that is not accepted: use one of RS256/);
  });

  it('that was changed is refused', async () => {
    const token = tampered(await issuer.token(), (claims) => ({ ...claims, groups: ['admins'] }));
    await expect(verifier().verify(token)).rejects.toThrow(/signature of the token is not that of https:\/\/issuer.test/);
  });

  it('that another issuer signed in the name of this one is refused', async () => {
    const forger = await ScriptedIssuer.create(() => clock.now());
    await expect(verifier().verify(await forger.token())).rejects.toThrow(/signature/);
  });

  it('is verified once, and again after it has ended', async () => {
    const subject = verifier();
    const token = await issuer.token();
    await subject.verify(token);
    issuer.isDown = true;
    expect(await subject.verify(token)).toMatchObject({ name: 'ann' });
    await clock.advance(700_000);
    await expect(subject.verify(token)).rejects.toThrow(/has expired/);
  });

  it('is verified again when the keys changed while it was checked', async () => {
    const known = keysOfIssuer();
    let generation = 0;
    let checks = 0;
    const changing: KeySource = {
      get generation() {
        return generation;
      },
      find: async (header, input) => {
        const key = await known.find(header, input);
        checks += 1;
        generation = 1;
        return key;
      },
    };
    const [verifying, token] = [verifier(silentLog, changing), await issuer.token()];
    for (let i = 0; i < 3; i += 1) await verifying.verify(token);
    expect(checks).toBe(2);
  });

  it('is never in a log or an error', async () => {
    const lines: string[] = [];
    const note = (message: string, fields?: object): void => void lines.push(JSON.stringify([message, fields]));
    const subject = verifier({ debug: note, info: note, warn: note, error: note });
    const tokens = [
      await issuer.token({ exp: 1 }),
      await issuer.token({ aud: 'x' }),
      await issuer.token(),
      await issuer.token({}, { kid: 'made-up' }),
    ];
    for (const token of [...tokens, tampered(tokens[2] ?? '', (claims) => ({ ...claims, canary: 1 }))]) {
      await subject.verify(token).catch((thrown: unknown) => {
        const error = thrown as Error & { details: unknown };
        lines.push(JSON.stringify([error.message, error.stack, error.cause, error.details]));
      });
    }
    expect(lines.length).toBeGreaterThan(3);
    const pieces = tokens.flatMap((token) => token.split('.').slice(1)).concat('id-of-ann', 'canary');
    for (const piece of pieces) expect(lines.join('\n')).not.toContain(piece);
  });
});

describe('keys of an issuer', () => {
  it('are read when the first token comes, by discovery', async () => {
    await verifier().verify(await issuer.token());
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it('are read once for many tokens that come together', async () => {
    const subject = verifier();
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => issuer.token({ username: `user-${i}` })));
    await Promise.all(tokens.map((token) => subject.verify(token)));
    expect(issuer.asked).toHaveLength(2);
  });

  it('are read again when a token names a new one, but no more often than every half minute', async () => {
    const subject = verifier();
    await subject.verify(await issuer.token());
    await issuer.addKey('two');
    const rotated = await issuer.token();
    await expect(subject.verify(rotated)).rejects.toThrow(/no key that https:\/\/issuer.test has now/);
    expect(issuer.asked).toHaveLength(2);
    await clock.advance(31_000);
    expect(await subject.verify(rotated)).toMatchObject({ name: 'ann' });
    expect(issuer.asked).toHaveLength(4);
  });

  it('cannot be made busy by names that somebody makes up', async () => {
    const subject = verifier();
    await subject.verify(await issuer.token());
    await clock.advance(31_000);
    for (let i = 0; i < 50; i += 1) {
      await expect(subject.verify(await issuer.token({}, { kid: `made-up-${i}` }))).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    expect(issuer.asked).toHaveLength(4);
  });

  it('that were withdrawn take the tokens with them that were verified before', async () => {
    const subject = verifier();
    const token = await issuer.token({ exp: Math.floor(clock.now() / 1000) + 7200 });
    await subject.verify(token);
    await issuer.addKey('two');
    issuer.dropKey('one');
    await clock.advance(11 * 60_000);
    await subject.verify(await issuer.token({ username: 'bob' }));
    await expect(subject.verify(token)).rejects.toThrow(/no key that/);
  });

  it('go on working while the issuer is away', async () => {
    const subject = verifier();
    await subject.verify(await issuer.token());
    issuer.isDown = true;
    await clock.advance(24 * 3_600_000);
    expect(await subject.verify(await issuer.token({ username: 'bob' }))).toMatchObject({ name: 'bob' });
  });

  it('that are not known make the answer unavailable, with the name of the issuer', async () => {
    const subject = verifier();
    issuer.isDown = true;
    const refusal = { code: 'unavailable', message: expect.stringMatching(/issuer https:\/\/issuer.test cannot be asked .*ECONNREFUSED/) };
    await expect(subject.verify(await issuer.token())).rejects.toMatchObject(refusal);
    const asked = issuer.asked.length;
    await expect(subject.verify(await issuer.token())).rejects.toMatchObject(refusal);
    expect(issuer.asked).toHaveLength(asked);
    issuer.isDown = false;
    await clock.advance(2_001);
    expect(await subject.verify(await issuer.token())).toMatchObject({ name: 'ann' });
  });

  it('may be new ones while the issuer is away: then it is unavailable, not refused', async () => {
    const subject = verifier();
    await subject.verify(await issuer.token());
    await issuer.addKey('two');
    issuer.isDown = true;
    await clock.advance(31_000);
    await expect(subject.verify(await issuer.token())).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('are not taken from one that calls itself something else', async () => {
    issuer.name = 'https://other.test';
    await expect(verifier().verify(await issuer.token())).rejects.toThrow(/names the issuer https:\/\/other.test/);
  });
});
