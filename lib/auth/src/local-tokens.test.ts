import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@quartermaster/kernel';
import { importJWK, type JWK, SignJWT } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { roles } from '../test/sample-service.ts';
import { LocalTokens } from './local-tokens.ts';
import { TokenVerifier } from './token-verifier.ts';

const service = { name: 'sample', roles };
const lifetimeMs = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'local-tokens-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function keyPath(): Promise<string> {
  return join(await mkdtemp(join(folder, 'keys-')), 'keys', 'local.json');
}

async function opened() {
  const clock = new FakeClock();
  const path = await keyPath();
  const tokens = await LocalTokens.open(path, service, clock);
  return { clock, path, tokens, verifier: new TokenVerifier({ issuers: [tokens.trusted()], clock }) };
}

describe('local tokens', () => {
  it('carry role, groups and source, and an id to revoke them by', async () => {
    const { clock, tokens, verifier } = await opened();
    const endsAt = clock.now() + lifetimeMs + 30_000;
    const tokenId: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const admin = await tokens.issue({ name: 'up', role: 'admin', lifetimeMs });
    expect(await verifier.verify(admin)).toEqual({ kind: 'local', name: 'up', groups: [], role: 'admin', endsAt, tokenId });
    const tenant = await tokens.issue({ name: 'ann', role: 'tenant', groups: ['blue'], lifetimeMs });
    expect(await verifier.verify(tenant)).toEqual({ kind: 'local', name: 'ann', groups: ['blue'], role: 'tenant', endsAt, tokenId });
    const sync = await tokens.issue({ name: 'bcm-sync', role: 'sync', source: 'bcm', lifetimeMs });
    expect(await verifier.verify(sync)).toMatchObject({ role: 'sync', source: 'bcm' });
  });

  it('end', async () => {
    const { clock, tokens, verifier } = await opened();
    const token = await tokens.issue({ name: 'up', role: 'admin', lifetimeMs });
    await clock.advance(lifetimeMs + 31_000);
    await expect(verifier.verify(token)).rejects.toThrow(/has expired/);
  });

  it('are signed with a key that only its owner reads, and that stays', async () => {
    const { clock, path, tokens } = await opened();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const again = await LocalTokens.open(path, service, clock);
    const verifier = new TokenVerifier({ issuers: [again.trusted()], clock });
    expect(await verifier.verify(await tokens.issue({ name: 'up', role: 'admin', lifetimeMs }))).toMatchObject({ role: 'admin' });
  });

  it('of another installation are refused', async () => {
    const [here, there] = [await opened(), await opened()];
    const token = await there.tokens.issue({ name: 'up', role: 'admin', lifetimeMs });
    await expect(here.verifier.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('have one key, however many processes begin at once', async () => {
    const path = await keyPath();
    const clock = new FakeClock();
    const all = await Promise.all(Array.from({ length: 8 }, () => LocalTokens.open(path, service, clock)));
    const token = await all[0]?.issue({ name: 'up', role: 'admin', lifetimeMs });
    for (const each of all) {
      const verifier = new TokenVerifier({ issuers: [each.trusted()], clock });
      expect(await verifier.verify(token ?? '')).toMatchObject({ name: 'up' });
    }
    expect(await readdir(join(path, '..'))).toEqual(['local.json']);
  });

  it('are not issued for a role that lacks what it needs', async () => {
    const { tokens } = await opened();
    await expect(tokens.issue({ name: 'x', role: 'sync', lifetimeMs })).rejects.toThrow(/requires a source/);
    await expect(tokens.issue({ name: 'x', role: 'toString', lifetimeMs })).rejects.toThrow(/must be one of admin, provider, sync, tenant/);
    await expect(tokens.issue({ name: 'x', role: 'tenant', lifetimeMs })).rejects.toThrow(/requires at least one tenant/);
    await expect(tokens.issue({ name: 'x', role: 'sync', source: 'Not A Name', lifetimeMs })).rejects.toThrow(/field "source": must have/);
  });

  it('are for the services of the installation that are said, and for no other', async () => {
    const { clock, path, tokens, verifier } = await opened();
    const token = await tokens.issue({ name: 'up', role: 'admin', lifetimeMs, services: ['other', service.name] });
    const verifierOf = async (name: string) =>
      new TokenVerifier({ issuers: [(await LocalTokens.open(path, { name, roles }, clock)).trusted()], clock });
    expect(await verifier.verify(token)).toMatchObject({ name: 'up', role: 'admin' });
    expect(await (await verifierOf('other')).verify(token)).toMatchObject({ name: 'up', role: 'admin' });
    await expect((await verifierOf('third')).verify(token)).rejects.toThrow(/urn:quartermaster:third/);
    const elsewhere = await tokens.issue({ name: 'up', role: 'admin', lifetimeMs, services: ['other'] });
    expect(await (await verifierOf('other')).verify(elsewhere)).toMatchObject({ name: 'up', role: 'admin' });
    await expect(verifier.verify(elsewhere)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('that were issued before, with one audience as a text, are accepted as before', async () => {
    const { clock, path, verifier } = await opened();
    const jwk = JSON.parse(await readFile(path, 'utf8')) as JWK;
    const now = Math.floor(clock.now() / 1000);
    const token = await new SignJWT({ username: 'up', role: 'admin', groups: [] })
      .setProtectedHeader({ alg: 'EdDSA', kid: jwk.kid ?? '', typ: 'JWT' })
      .setIssuer('urn:quartermaster:local')
      .setAudience(`urn:quartermaster:${service.name}`)
      .setExpirationTime(now + 60)
      .sign(await importJWK(jwk, 'EdDSA'));
    expect(await verifier.verify(token)).toMatchObject({ name: 'up', role: 'admin' });
  });

  it('are for one service alone unless that is said', async () => {
    const { clock, path, tokens } = await opened();
    const other = await LocalTokens.open(path, { name: 'other', roles }, clock);
    const verifier = new TokenVerifier({ issuers: [other.trusted()], clock });
    await expect(verifier.verify(await tokens.issue({ name: 'up', role: 'admin', lifetimeMs }))).rejects.toThrow(/urn:quartermaster:other/);
  });

  it('refuse a key file that is none, without showing what is in it', async () => {
    const { path, clock } = await opened();
    const whole = await readFile(path, 'utf8');
    for (const text of ['{"kty":"oct","k":"canary"}', 'canary', whole.slice(0, -20), whole.replace(/"d":"[^"]+"/, '"d":"canary"')]) {
      await writeFile(path, text);
      const failure = await LocalTokens.open(path, service, clock).catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(path) });
      expect(String(failure)).not.toContain('canary');
    }
  });
});
