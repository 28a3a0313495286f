import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sessions } from '@quartermaster/api/fulfillment-extras';
import { HostClasses, Hosts } from '@quartermaster/api/private';
import { openRpcChannel } from '@quartermaster/rpc';
import { createLogger } from '@quartermaster/service';
import { KeyRing } from '@quartermaster/store';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCertificateAuthority } from '../kube/certificates.ts';
import { type ConfiguredPostgres, password, startConfiguredPostgres } from './start-configured-postgres.ts';
import { type RunningFulfillmentRole, startFulfillmentRole } from './start-fulfillment-role.ts';

const log: string[] = [];
let folder: string;
let postgres: ConfiguredPostgres;
let settings: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quartermaster-database-'));
  postgres = await startConfiguredPostgres();
  const authority = await createCertificateAuthority('service');
  const threeDays = new Date(Date.now() + 3 * 86_400_000);
  const pair = await authority.issueServer({ commonName: 'fulfillment', hosts: ['127.0.0.1'], notAfter: threeDays });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  settings = {
    'fulfillment-database-url': postgres.url.href,
    'fulfillment-key-ring-file': await file('key-ring', KeyRing.generate()),
    'fulfillment-local-key-file': join(folder, 'token-key'),
    'fulfillment-tls-cert-file': await file('tls.crt', pair.certificate),
    'fulfillment-tls-key-file': await file('tls.key', pair.key),
    ca: authority.certificate,
  };
});

afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(changes: Readonly<Record<string, unknown>> = {}): Promise<RunningFulfillmentRole> {
  const { ca: _ca, ...given } = settings;
  const destination = { write: (line: string) => void log.push(line) };
  return await startFulfillmentRole({ ...given, ...changes }, createLogger({ level: 'debug', destination }));
}

function connect({ grpc, token }: RunningFulfillmentRole) {
  const channel = openRpcChannel({ address: grpc, token: () => token, tls: { ca: String(settings['ca']) } });
  onTestFinished(() => channel.close());
  return channel;
}

/** The URL of the database with something else in it. */
function urlWith(change: (url: URL) => void): { readonly 'fulfillment-database-url': string } {
  const url = new URL(postgres.url);
  change(url);
  return { 'fulfillment-database-url': url.href };
}

describe('a database that the settings name', () => {
  it('is brought up and used over TLS by a user who owns nothing else, and outlives the service', async () => {
    const first = await start();
    const channel = connect(first);
    await channel.client(HostClasses).create({ object: { id: 'kept' } });
    await channel.client(Hosts).create({ object: { id: 'h', spec: { class: 'kept', bmc: { user: 'u', password: 'of-the-bmc' } } } });
    expect((await channel.client(Hosts).list({ filter: 'this.spec.class == "kept"' })).total).toBe(1);
    const { rows } = await postgres.admin.query<{ ssl: boolean; rolsuper: boolean }>(
      "select ssl, rolsuper from pg_stat_ssl join pg_stat_activity using (pid) join pg_roles on usename = rolname where usename = 'clerk'",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ ssl, rolsuper }) => !ssl || rolsuper)).toEqual([]);
    await first.stop();

    const [second, third] = await Promise.all([start(), start()]);
    expect((await connect(second).client(Hosts).get({ id: 'h', reveal: true })).object?.spec?.bmc?.password).toBe('of-the-bmc');
    await connect(third)
      .client(HostClasses)
      .create({ object: { id: 'of-a-replica' } });
    expect((await connect(second).client(HostClasses).get({ id: 'of-a-replica' })).object?.id).toBe('of-a-replica');
    for (const role of [second, third]) await role.stop();
  });

  it('that does not let the service in is told with the way out', async () => {
    await writeFile(join(folder, 'other.crt'), (await createCertificateAuthority('others')).certificate);
    const said = async (change: (url: URL) => void): Promise<string> => {
      const failure: unknown = await start(urlWith(change)).catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ code: 'unavailable' });
      return String(failure);
    };
    expect(await said((url) => (url.password = 'wrong'))).toContain('rejects the login; check user, password, database and sslmode');
    expect(await said((url) => url.searchParams.set('sslmode', 'disable'))).toContain('sslmode in the URL, and its pg_hba.conf');
    expect(await said((url) => url.searchParams.set('sslrootcert', join(folder, 'other.crt')))).toMatch(
      /certificate of the database is not trusted .*; name its CA with sslrootcert=FILE/,
    );
    expect(await said((url) => (url.hostname = 'localhost'))).toContain('a host name that the certificate is valid for');
    expect(await said((url) => (url.pathname = '/nothing'))).toContain('does not exist; create it, or correct the URL');
    await expect(start(urlWith((url) => url.searchParams.set('sslrootcert', '/does/not/exist')))).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('keeps its password to itself', () => {
    expect(log.join('')).toContain('rpc server listens');
    for (const secret of [password, encodeURIComponent(password)]) expect(log.join('')).not.toContain(secret);
  });
});

describe('the role with TLS', () => {
  it('tells probes of a certificate that ends soon, and has a port for callers with certificates', async () => {
    const clients = await createCertificateAuthority('clients');
    await writeFile(join(folder, 'clients.crt'), clients.certificate);
    const role = await start({
      'fulfillment-client-ca-file': join(folder, 'clients.crt'),
      'fulfillment-certificate-port': 0,
      'fulfillment-sources': ['certificate:sync-bcm=bcm'],
    });
    onTestFinished(() => role.stop());
    const report = await role.health.report('ready');
    expect(report.state).toBe('degraded');
    expect(report.checks.find(({ name }) => name === 'service-fulfillment/certificate')).toMatchObject({
      reason: expect.stringMatching(/tls.crt expires at/),
    });
    expect(role.status()).toMatchObject({ database: 'reachable', rest: expect.stringMatching(/^https:/) });
    const { certificate, key } = await clients.issueClient({ commonName: 'sync-bcm' });
    expect(role.status()).toMatchObject({ certificates: role.certificates });
    const channel = openRpcChannel({ address: role.certificates ?? '', tls: { ca: String(settings['ca']), cert: certificate, key } });
    onTestFinished(() => channel.close());
    expect(await channel.client(Sessions).get({})).toMatchObject({ name: 'sync-bcm', role: 'sync', source: 'bcm' });
  });
});
