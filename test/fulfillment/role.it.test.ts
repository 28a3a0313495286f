import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hosts as PublicHosts } from '@quartermaster/api/fulfillment';
import { SecretKeys } from '@quartermaster/api/fulfillment-extras';
import { HostClasses, Hosts } from '@quartermaster/api/private';
import { fulfillmentRole } from '@quartermaster/fulfillment/roles';
import { openRpcChannel } from '@quartermaster/rpc';
import { KeyRing } from '@quartermaster/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFulfillmentRole } from './start-fulfillment-role.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quartermaster-role-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe('the role', () => {
  it('keeps its data, its keys and its tokens in the data directory', async () => {
    const settings = { 'fulfillment-data-directory': join(directory, 'data') };
    const first = await startFulfillmentRole(settings);
    const channel = openRpcChannel({ address: first.grpc, token: () => first.token });
    await channel.client(HostClasses).create({ object: { id: 'kept' } });
    await channel.client(Hosts).create({ object: { id: 'h', spec: { class: 'kept', bmc: { user: 'u', password: 'p4ss' } } } });
    channel.close();
    expect((await first.health.report('ready')).state).toBe('ok');
    expect((await fetch(`${first.rest}/readyz`)).status).toBe(200);
    expect((await first.metrics.scrape()).text).toContain(
      'quartermaster_fulfillment_calls_total{method="/private.v1.Hosts/Create",transport="grpc",outcome="ok"} 1',
    );
    const onRest = await fetch(`${first.rest}/metrics`, { headers: { authorization: `Bearer ${first.token}` } });
    expect([onRest.status, await onRest.text()]).toEqual([404, expect.stringContaining('/metrics')]);
    await first.stop();

    const second = await startFulfillmentRole(settings);
    const again = openRpcChannel({ address: second.grpc, token: () => first.token });
    expect((await again.client(Hosts).get({ id: 'h', reveal: true })).object?.spec?.bmc?.password).toBe('p4ss');
    again.close();
    await second.stop();
    for (const file of ['key-ring', 'token-key']) {
      expect(((await stat(join(directory, 'data', file))).mode & 0o777).toString(8)).toBe('600');
    }
    expect(await readFile(join(directory, 'data', 'key-ring'), 'utf8')).toMatch(/^key-[0-9a-f]{8}:/);
  });

  it.each(['key-ring', 'token-key'])('refuses a %s in its data directory that others could have put there', async (name) => {
    const file = join(directory, 'data', name);
    await chmod(file, 0o644);
    await expect(startFulfillmentRole({ 'fulfillment-data-directory': join(directory, 'data') })).rejects.toThrow(
      `${file} has mode 644, but must not be accessible by other users`,
    );
    await chmod(file, 0o600);
  });

  it('takes over who may call from newer settings', async () => {
    const running = await startFulfillmentRole({ 'fulfillment-data-directory': join(directory, 'data') });
    const channel = openRpcChannel({ address: running.grpc, token: () => running.tenantToken });
    const update = () => channel.client(PublicHosts).update({ object: { id: 'h' } });
    await expect(update()).rejects.toMatchObject({ code: 'permission_denied' });
    await running.configure({ 'fulfillment-tenants-write-hosts': true });
    await expect(update()).rejects.toMatchObject({ code: 'not_found' });
    channel.close();
    expect(running.status()).toMatchObject({ database: 'reachable' });
    await running.stop();
  });

  it('says how late watches are, and which transaction holds them back', async () => {
    const running = await startFulfillmentRole({ 'fulfillment-data-directory': join(directory, 'data') });
    const gauge = async (name: string): Promise<number | undefined> => {
      const line = new RegExp(`^quartermaster_fulfillment_feed_${name} (.*)$`, 'm').exec((await running.metrics.scrape()).text);
      return line === null ? undefined : Number(line[1]);
    };
    const feedCheck = async () => (await running.health.report('ready')).checks.find(({ name }) => name.endsWith('change feed'));
    await expect.poll(() => gauge('lag_seconds'), { timeout: 20_000 }).toBe(0);
    // The server's own work, such as autovacuum, may hold it for a moment.
    await expect.poll(() => gauge('holder_seconds'), { timeout: 20_000 }).toBe(0);
    expect(await gauge('size_bytes')).toBeGreaterThan(0);
    expect(await feedCheck()).toMatchObject({ state: 'ok' });
    const pid = await running.database.transaction([], async (tx) => {
      const [row] = await tx.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid, pg_current_xact_id()' });
      // As if it had been made two minutes ago.
      await running.database.query({
        text: `insert into changes (at, kind, type, object_id, version, tenants_before, tenants_after, body)
          values (now() - interval '2 minutes', 'hosts', 'created', 'late', 0, '{}', '{}', '')`,
      });
      const check = async () => {
        await tx.query({ text: 'select' });
        return await feedCheck();
      };
      // It is measured every two seconds, and the measurement may have begun before the transaction.
      const reason = expect.stringContaining(`pg_terminate_backend(${row?.pid})`);
      await expect.poll(check, { timeout: 20_000 }).toMatchObject({ state: 'degraded', reason });
      expect(await gauge('lag_seconds')).toBeGreaterThan(100);
      expect(await gauge('holder_seconds')).toBeGreaterThan(0);
      return row?.pid;
    });
    expect(pid).toBeGreaterThan(0);
    await expect.poll(async () => (await feedCheck())?.state, { timeout: 20_000 }).toBe('ok');
    await expect.poll(() => gauge('lag_seconds'), { timeout: 20_000 }).toBe(0);
    await running.stop();
  });

  it('encrypts with the first key of its ring as the file has it, and says when the file cannot be used', async () => {
    const file = join(directory, 'data', 'key-ring');
    const old = await readFile(file, 'utf8');
    const running = await startFulfillmentRole({ 'fulfillment-data-directory': join(directory, 'data') });
    const channel = openRpcChannel({ address: running.grpc, token: () => running.token });
    const fresh = KeyRing.generate();
    const current = KeyRing.parse(fresh).currentKeyId;
    await writeFile(file, fresh + old);
    await expect.poll(() => running.status(), { timeout: 20_000 }).toMatchObject({ keyRing: { current } });
    await channel.client(Hosts).create({ object: { id: 'rotated', spec: { bmc: { user: 'u', password: 'p4ss' } } } });
    const { keys } = await channel.client(SecretKeys).status({});
    expect(keys.find(({ keyId }) => keyId === current)).toMatchObject({ secrets: 1n, isKnown: true });
    expect((await running.health.report('ready')).state).toBe('ok');

    await writeFile(file, 'nonsense');
    await expect.poll(async () => (await running.health.report('ready')).state, { timeout: 20_000 }).toBe('degraded');
    expect(running.status()).toMatchObject({ keyRing: { current, problem: expect.stringContaining('line 1') as string } });
    expect((await channel.client(Hosts).get({ id: 'h' })).object?.id).toBe('h');
    await writeFile(file, fresh + old);
    await expect.poll(async () => (await running.health.report('ready')).state, { timeout: 20_000 }).toBe('ok');
    channel.close();
    await running.stop();
  });

  it.each([
    [{}, 'fulfillment-database-url'],
    [{ 'fulfillment-database-url': 'postgresql://x@y/z' }, 'fulfillment-key-ring-file'],
    [{ 'fulfillment-data-directory': '/x', 'fulfillment-tls-cert-file': '/c' }, 'fulfillment-tls-cert-file'],
    [{ 'fulfillment-data-directory': '/x', 'fulfillment-client-ca-file': '/c' }, 'fulfillment-client-ca-file'],
    [{ 'fulfillment-data-directory': '/x', 'fulfillment-key-ring': 'a:b', 'fulfillment-key-ring-file': '/k' }, 'fulfillment-key-ring'],
  ])('is told what is missing in %j', (settings, key) => {
    const { config } = fulfillmentRole;
    expect(config.check(config.schema.parse(settings)).map((problem) => problem.key)).toEqual([key]);
  });
});
