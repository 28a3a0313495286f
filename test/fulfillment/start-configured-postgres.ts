import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@quartermaster/kernel';
import { startEmbeddedPostgres } from '@quartermaster/store/embedded';
import pg from 'pg';
import { vi } from 'vitest';
import { createCertificateAuthority, type IssuedCertificate } from '../kube/certificates.ts';

export interface ConfiguredPostgres {
  /** Of a user who owns its database and nothing else, and whom the server lets in with TLS alone. */
  readonly url: URL;
  /** File with the authority of its certificate. */
  readonly authorityFile: string;
  /** As its administrator. */
  readonly admin: pg.Client;
  stop(): Promise<void>;
}

/** With what a URL has to escape. */
export const password = 'p@ss/w:rd?#%';

/** PostgreSQL as somebody else runs it: with TLS, a certificate of their own authority, and a user without rights beyond its database. */
export async function startConfiguredPostgres(): Promise<ConfiguredPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'quartermaster-configured-'));
  const server = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), log: silentLog, isDurable: false });
  const admin = new pg.Client({ connectionString: server.url });
  const stop = async (): Promise<void> => {
    await admin.end();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await admin.connect();
    const authority = await createCertificateAuthority('databases');
    const pair = await authority.issueServer({ commonName: 'db', hosts: ['127.0.0.1'] });
    await turnOnTls(join(directory, 'postgres', 'data'), pair, admin, server.url);
    await admin.query(`create role clerk login password ${pg.escapeLiteral(password)}`);
    await admin.query('create database fulfillment owner clerk');
    const authorityFile = join(directory, 'databases.crt');
    await writeFile(authorityFile, authority.certificate);
    const url = new URL(server.url);
    [url.username, url.password, url.pathname] = ['clerk', encodeURIComponent(password), '/fulfillment'];
    url.search = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: authorityFile }).toString();
    return { url, authorityFile, admin, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function turnOnTls(data: string, pair: IssuedCertificate, admin: pg.Client, url: string): Promise<void> {
  const { uid, gid } = await stat(data);
  const files = { 'server.crt': pair.certificate, 'server.key': pair.key, 'pg_hba.conf': hostRules };
  for (const [name, text] of Object.entries(files)) {
    const path = join(data, name);
    await writeFile(path, text);
    await chmod(path, 0o600);
    await chown(path, uid, gid);
  }
  await admin.query('alter system set ssl = on');
  await admin.query('select pg_reload_conf()');
  // The server reads its settings after it has answered.
  await vi.waitFor(() => connectWithTls(url), { timeout: 30_000 });
}

async function connectWithTls(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, ssl: { rejectUnauthorized: false } });
  try {
    await client.connect();
  } finally {
    await client.end();
  }
}

const hostRules = ['host all quartermaster 127.0.0.1/32 scram-sha-256', 'hostssl all clerk 127.0.0.1/32 scram-sha-256', ''].join('\n');
