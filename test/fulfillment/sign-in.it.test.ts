import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as priv from '@quartermaster/api/private';
import { startFulfillment, type TestFulfillment } from '@quartermaster/fulfillment/testing';
import { type Clock, systemClock } from '@quartermaster/kernel';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RunningCommand } from '../up/running-command.ts';
import { DevicePerson } from './device-person.ts';
import { ProviderIssuer, resource } from './provider-issuer.ts';

/** The clock of the service, which a test sets forward: then all tokens of the issuer have ended for it. */
class AheadClock implements Clock {
  aheadMs = 0;
  now = (): number => systemClock.now() + this.aheadMs;
  monotonic = (): number => systemClock.monotonic();
  schedule = (afterMs: number, callback: () => void): (() => void) => systemClock.schedule(afterMs, callback);
}

const clock = new AheadClock();
const patiently = { timeout: 60_000, interval: 50 };
let folder: string;
let issuer: ProviderIssuer;
let service: TestFulfillment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quartermaster-sign-in-'));
  issuer = await ProviderIssuer.start(
    {},
    {
      // A token that lasts no longer than the command line keeps in hand is renewed before each connection.
      devices: { 'quartermaster-cli': { lifetime: 20 }, hasty: { lifetime: 20, codeLifetime: 1 } },
      people: { ann: { username: 'ann', groups: ['blue'] } },
    },
  );
  issuer.onToken = () => {
    clock.aheadMs = 0;
  };
  const access = { 'fulfillment-issuers': [issuer.url], 'fulfillment-providers': ['user:ann'] };
  service = await startFulfillment({ access, clock });
});

afterAll(async () => {
  await service.stop();
  await issuer.stop();
  await rm(folder, { recursive: true, force: true });
});

const home = (name: string) => ({ XDG_CONFIG_HOME: join(folder, name) });

/** `login`, until it says where to confirm its code. */
async function loggingIn(name: string, ...more: string[]) {
  const command = new RunningCommand(['login', service.grpcAddress, '--resource', resource, ...more], home(name));
  await expect.poll(() => command.err, patiently).toMatch(/^Open \S+\nand confirm the code \S+ within \d+ minutes\.\n/);
  const address = /^Open (\S+)\n/.exec(command.err)?.[1] ?? '';
  return { command, address };
}

// Each command is a process of its own, and asks the issuer every five seconds.
describe('login with a code at a real issuer', { timeout: 180_000 }, () => {
  it('lets in whom somebody confirms, and nobody else', async () => {
    const [confirmed, refused, expired] = await Promise.all([
      loggingIn('ann'),
      loggingIn('refused'),
      loggingIn('late', '--client-id', 'hasty'),
    ]);
    expect(await new DevicePerson('ann').answer(confirmed.address, 'confirm')).toContain('Sign-in Success');
    await new DevicePerson('eve').answer(refused.address, 'abort');
    expect([await confirmed.command.exitCode(), confirmed.command.out]).toEqual([0, expect.stringContaining('as ann, provider')]);
    expect([await refused.command.exitCode(), refused.command.err]).toEqual([
      1,
      expect.stringContaining(`${issuer.url} gave no token: the code was denied (access_denied); log in again`),
    ]);
    expect([await expired.command.exitCode(), expired.command.err]).toEqual([
      1,
      expect.stringContaining(`${issuer.url} gave no token: nobody confirmed the code in time (expired_token); log in again`),
    ]);
    for (const name of ['refused', 'late']) await expect(stat(join(folder, name))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('renews a watch whose token has ended, follows a change of rights, and ends with what to do when the login is revoked', async () => {
    const watch = new RunningCommand(['watch', '-o', 'json'], home('ann'));
    onTestFinished(async () => void (await watch.interrupt()));
    const classes = service.admin.client(priv.HostClasses);
    const names = () => [...watch.out.matchAll(/"id":"([a-z]+-\d+)"/g)].map(([, id]) => id);
    // Whether the watch has begun shows in what it prints: until it does, there is more to print.
    let count = 0;
    const printed = async () => {
      await classes.create({ object: { id: `begun-${++count}` } });
      expect(names()).not.toEqual([]);
    };
    await vi.waitFor(printed, { timeout: 60_000, interval: 500 });

    const asked = issuer.asked.length;
    clock.aheadMs = 120_000;
    service.updateAccess({});
    await expect.poll(() => watch.err, patiently).toContain('the token has expired: get a new one');
    await classes.create({ object: { id: 'between-1' } });
    await expect.poll(names, patiently).toContain('between-1');
    expect(issuer.asked.slice(asked)).toContain('/token');

    service.updateAccess({ 'fulfillment-providers': [] });
    await expect.poll(() => watch.err, patiently).toContain('the rights of ann have changed');
    await service.admin.client(priv.Hubs).create({ object: { id: 'hub-1', namespace: 'x', kubeconfig: Buffer.from(kubeconfig) } });
    await classes.create({ object: { id: 'tenant-1' } });
    await expect.poll(names, patiently).toContain('tenant-1');
    expect(watch.out).not.toContain('hub-1');

    const saved = await readFile(join(folder, 'ann', 'quartermaster', 'contexts.json'), 'utf8');
    const token = /"refreshToken": "([^"]+)"/.exec(saved)?.[1] ?? '';
    const revoked = await fetch(`${issuer.url}/token/revocation`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'quartermaster-cli', token }),
    });
    expect(revoked.status).toBe(200);
    clock.aheadMs = 120_000;
    service.updateAccess({ 'fulfillment-providers': [] });
    expect(await watch.exitCode()).toBe(1);
    expect(watch.err).toContain(
      `the login at ${issuer.url} could not be renewed (invalid_grant): log in again with \`quartermaster login ADDRESS\``,
    );
  });
});

describe('a watch with a token of the service itself', () => {
  it('ends when its token is revoked, over gRPC and over REST, and those of other tokens go on', async () => {
    const lost = { name: 'root', role: 'admin', id: 'lost-token' } as const;
    const watchOf = (channel: ReturnType<TestFulfillment['as']>) => {
      const answers = channel.client(priv.Events).watch({ bookmarks: true });
      return { first: answers.next(), answers };
    };
    const [revoked, kept] = [watchOf(service.as(lost)), watchOf(service.as({ ...lost, id: 'kept-token' }))];
    const headers = { authorization: `Bearer ${await service.token(lost)}`, accept: 'application/x-ndjson' };
    const stream = await fetch(`${service.restUrl}/api/private/v1/events/watch?bookmarks=true`, { headers });
    expect(stream.status).toBe(200);
    await Promise.all([revoked.first, kept.first]);
    service.updateAccess({ 'fulfillment-revoked-tokens': ['lost-token'] });
    await expect(revoked.answers.next()).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'the token of root was revoked: get a new one; a watch goes on from its last answer',
    });
    expect(await stream.text()).toContain('the token of root was revoked');
    await service.admin.client(priv.HostClasses).create({ object: { id: 'after-1' } });
    expect((await kept.answers.next()).value?.event?.payload.value?.id).toBe('after-1');
    await kept.answers.return();
  });
});

const kubeconfig = [
  'apiVersion: v1',
  'kind: Config',
  'current-context: a',
  'contexts: [{name: a, context: {cluster: a, user: a}}]',
  'clusters: [{name: a, cluster: {server: "https://a.example.com:6443"}}]',
  'users: [{name: a, user: {token: t}}]',
  '',
].join('\n');
