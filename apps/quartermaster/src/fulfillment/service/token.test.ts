import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken } from './token.ts';

const silent = { out: { write: () => true }, err: { write: () => true } };

let folder: string;

// Loading the service is not part of what the tests measure.
beforeAll(() => import('@quartermaster/fulfillment'), 60_000);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'token-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('createToken', () => {
  it('writes a token for its owner alone, also into a file that others could read', async () => {
    const out = join(folder, 'token');
    writeFileSync(out, 'something longer than nothing that was there before');
    chmodSync(out, 0o644);
    await createToken({ keyFile: join(folder, 'key'), name: 'ann', role: 'admin', tenant: [], for: [], lifetime: '1h', out }, silent);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readFileSync(out, 'utf8')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  });

  it('makes one for the services that are named alone, so that who bids at the market is nobody elsewhere', async () => {
    const out = join(folder, 'token');
    const flags = { keyFile: join(folder, 'key'), name: 'p2', role: 'provider', tenant: [], source: 'p2', lifetime: '1h', out } as const;
    const audiencesOf = async (...services: readonly string[]): Promise<unknown> => {
      await createToken({ ...flags, for: services }, silent);
      const claims = Buffer.from(readFileSync(out, 'utf8').split('.')[1] ?? '', 'base64url').toString();
      return (JSON.parse(claims) as { readonly aud: unknown }).aud;
    };
    expect(await audiencesOf('market')).toEqual(['urn:quartermaster:market']);
    expect(await audiencesOf()).toEqual(expect.arrayContaining(['urn:quartermaster:market', 'urn:quartermaster:cluster']));
    await expect(audiencesOf('markt')).rejects.toThrow('--for "markt" must be one of');
  });
});
