import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock, silentLog } from '@quartermaster/kernel';
import { afterAll, describe, expect, it } from 'vitest';
import { roles, service, settingsOf, table, things } from '../test/sample-service.ts';
import { openAccess } from './open-access.ts';
import { principalOf } from './principal.ts';

const folder = mkdtempSync(join(tmpdir(), 'access-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const own = { service, roles, tableOf: () => table };

async function opened(values: object) {
  const directory = await mkdtemp(join(folder, 'access-'));
  const settings = settingsOf({ 'sample-local-key-file': join(directory, 'key'), ...values });
  const access = await openAccess({ ...own, settings, clock: new FakeClock(), log: silentLog });
  const callWith = async (certificate: string) => {
    const shown = {
      token: undefined,
      certificate: { commonName: certificate, organizations: [], fingerprint: 'f', endsAt: Number.MAX_SAFE_INTEGER },
    };
    return principalOf(await access.authenticate({ method: things.list, peer: 'p', ...shown }, signal));
  };
  return { access, callWith };
}

describe('access as the settings say', () => {
  it('accepts tokens that it has issued itself', async () => {
    const { access } = await opened({});
    const token = await access.localTokens?.issue({ name: 'up', role: 'admin', lifetimeMs: 1_000 });
    const caller = { method: things.list, peer: 'p', token, certificate: undefined };
    expect(principalOf(await access.authenticate(caller, signal))).toMatchObject({ name: 'up', role: 'admin' });
  });

  it('issues none without a key', async () => {
    const access = await openAccess({ ...own, settings: settingsOf({}), clock: new FakeClock(), log: silentLog });
    expect(access.localTokens).toBeUndefined();
  });

  it('takes over roles from newer settings', async () => {
    const { access, callWith } = await opened({});
    await expect(callWith('console')).rejects.toMatchObject({ code: 'permission_denied' });
    access.update(settingsOf({ 'sample-providers': ['certificate:console'] }));
    expect(await callWith('console')).toMatchObject({ role: 'provider' });
    access.update(settingsOf({}));
    await expect(callWith('console')).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('does not wait for issuers, and says where to log in', async () => {
    const { access } = await opened({ 'sample-issuers': ['https://issuer.invalid/realm'] });
    expect(access.issuers).toEqual(['https://issuer.invalid/realm']);
  });

  it('names the file that it cannot use', async () => {
    await expect(opened({ 'sample-issuer-ca-file': '/does/not/exist.pem' })).rejects.toThrow(
      /sample-issuer-ca-file \/does\/not\/exist.pem cannot be read/,
    );
    const directory = await mkdtemp(join(folder, 'access-'));
    await writeFile(join(directory, 'key'), 'no key');
    await expect(opened({ 'sample-local-key-file': join(directory, 'key') })).rejects.toThrow(/Remove the file to generate a new one/);
  });
});
