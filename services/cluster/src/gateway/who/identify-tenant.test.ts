import { FakeClock } from '@quartermaster/kernel';
import type { PeerCertificate } from '@quartermaster/rpc';
import { describe, expect, it } from 'vitest';
import { tokenClaimsOf, tokenSigner } from '../../../test/token-signer.ts';
import type { OwnerKey } from '../../market/market.ts';
import { identifyTenant, type Shown } from './identify-tenant.ts';

const signer = tokenSigner();
const day = 86_400_000;
const registered: OwnerKey = { kind: 'certificate', pem: '', fingerprint: 'ab12' };

function gateway(owners: Readonly<Record<string, readonly OwnerKey[]>> = { amy: [registered, signer.key] }) {
  const clock = new FakeClock();
  const keys = new Map(Object.entries(owners));
  const asked: string[] = [];
  const identify = identifyTenant({
    keys: {
      of: async (owner) => {
        asked.push(owner);
        return keys.get(owner) ?? [];
      },
    },
    hasLease: (owner) => keys.has(owner),
    clock,
  });
  const shown = (what: Partial<Shown>) => identify({ authorization: undefined, certificate: undefined, ...what });
  return { clock, keys, asked, shown };
}

const certificate = (changed: Partial<PeerCertificate> = {}): PeerCertificate => {
  const now = new FakeClock().now();
  return { commonName: 'amy', organizations: [], fingerprint: 'AB:12', startsAt: now - day, endsAt: now + day, ...changed };
};
const bearer = (changed: object = {}, by = signer): Partial<Shown> => ({ authorization: `Bearer ${by.sign(tokenClaimsOf(changed))}` });
const refused = (text: string) => ({ code: 'unauthenticated', message: expect.stringContaining(text) });

describe('a tenant', () => {
  it('is the owner of the certificate, for everything and as long as that is valid', async () => {
    expect(await gateway().shown({ certificate: certificate() })).toEqual({
      ...{ owner: 'amy', proof: 'certificate', fingerprint: 'ab12', endsAt: certificate().endsAt, access: { access: 'full' } },
    });
  });

  it('is who issued the token, for what that says and as long as it says', async () => {
    const leases = { access: 'scoped', scope: ['logs'] };
    expect(await gateway().shown(bearer({ leases }))).toEqual({
      ...{ owner: 'amy', proof: 'token', fingerprint: 'key-1', endsAt: Date.UTC(2026, 0, 1, 1), access: leases },
    });
  });

  it.each([
    ['is over', { endsAt: new FakeClock().now() }, 'to 2026-01-01T00:00:00.000Z'],
    ['has not begun', { startsAt: new FakeClock().now() + 1 }, 'valid from'],
    ['has no end that can be read', { endsAt: Number.NaN }, 'to no date'],
    ['has no beginning that can be read', { startsAt: Number.NaN }, 'from no date'],
    ['is of another key', { fingerprint: 'AB:13' }, 'not one of amy'],
    ['is of another owner', { commonName: 'bob' }, 'not one of bob'],
    ['is of nobody', { commonName: '' }, 'not one of'],
  ])('is nobody with a certificate that %s', async (_what, changed, text) => {
    const { shown } = gateway({ amy: [registered], bob: [{ ...registered, fingerprint: 'ff' }] });
    await expect(shown({ certificate: certificate(changed) })).rejects.toMatchObject(refused(text));
  });

  it('is nobody with a token that another signed, or that is no longer valid', async () => {
    const { shown } = gateway();
    await expect(shown(bearer({}, tokenSigner(2)))).rejects.toMatchObject(refused('no key of amy'));
    await expect(shown(bearer({ exp: 1 }))).rejects.toMatchObject(refused('expired'));
  });

  it('is nobody with a key of an account that is in the name of another', async () => {
    const { shown } = gateway({ amy: [registered], bob: [signer.key] });
    await expect(shown(bearer())).rejects.toMatchObject(refused('no key of amy'));
    expect(await shown(bearer({ iss: 'bob' }))).toMatchObject({ owner: 'bob' });
  });

  it('is nobody once the key is revoked', async () => {
    const { keys, shown } = gateway();
    await shown(bearer());
    keys.set('amy', []);
    await expect(shown(bearer())).rejects.toMatchObject(refused('no key of amy'));
    await expect(shown({ certificate: certificate() })).rejects.toMatchObject(refused('not one of amy'));
  });

  it('is let in by a key beside one that is none', async () => {
    const broken: OwnerKey = { kind: 'secp256k1', key: Buffer.alloc(33), fingerprint: 'broken' };
    expect(await gateway({ amy: [broken, signer.key] }).shown(bearer())).toMatchObject({ fingerprint: 'key-1' });
  });

  it('is not asked for at the market where there is no lease, or nothing that could count', async () => {
    const { asked, shown } = gateway();
    const stranger = { commonName: 'eve' };
    await expect(shown({ certificate: certificate(stranger) })).rejects.toMatchObject(refused('not one of eve'));
    await expect(shown(bearer({ iss: 'eve' }))).rejects.toMatchObject(refused('no key of eve'));
    await expect(shown({ certificate: certificate({ endsAt: 0 }) })).rejects.toMatchObject(refused('valid from'));
    await expect(shown(bearer({ exp: 1 }))).rejects.toMatchObject(refused('expired'));
    expect(asked).toEqual([]);
  });

  it('is not told apart from a stranger by what is said', async () => {
    const { shown } = gateway({ amy: [] });
    const texts = await Promise.all(
      ['amy', 'eve'].map((commonName) =>
        shown({ certificate: certificate({ commonName }) }).catch(({ message }: Error) => message.replace(commonName, 'X')),
      ),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  it('shows one of both', async () => {
    const { shown } = gateway();
    await expect(shown({ ...bearer(), certificate: certificate() })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('at once'),
    });
    await expect(shown({})).rejects.toMatchObject(refused('not authenticated'));
  });

  it.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', 'Token x', 'Bearer,x'])(
    'is told that the header "%s" is none',
    async (authorization) => {
      for (const also of [undefined, certificate()])
        await expect(gateway().shown({ authorization, certificate: also })).rejects.toMatchObject({
          code: 'invalid_argument',
          message: expect.stringContaining('header "authorization"'),
        });
    },
  );
});
