import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { FakeClock, messageOf } from '@quartermaster/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CredentialOptions, type KubeCredentials, loadCredentials } from './credentials.ts';

interface Fixture {
  readonly credentials: KubeCredentials;
  /** Of the next request. */
  authorization(): Promise<string | undefined>;
  write(file: string, contents: string): Promise<void>;
}

const kubeconfig = (server: string): string =>
  JSON.stringify({
    clusters: [{ name: 'main', cluster: { server } }],
    users: [{ name: 'main', user: { tokenFile: 'token' } }],
    contexts: [{ name: 'main', context: { cluster: 'main', user: 'main' } }],
    'current-context': 'main',
  });

async function load(options: CredentialOptions = {}): Promise<Fixture> {
  const directory = await mkdtemp(join(tmpdir(), 'credentials-'));
  const write = (file: string, contents: string): Promise<void> => writeFile(join(directory, file), contents);
  await write('config', kubeconfig('https://one.example:6443/behind/a/prefix/'));
  await write('token', 'first\n');
  const credentials = await loadCredentials({ kubeconfig: join(directory, 'config'), ...options });
  onTestFinished(async () => {
    await credentials.close();
    await rm(directory, { recursive: true });
  });
  return { credentials, write, authorization: async () => (await credentials.session()).headers['authorization'] };
}

describe('credentials of a kubeconfig', () => {
  it('are not repeated when the file cannot be parsed, and a file that is not there is called by name', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'credentials-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const file = join(directory, 'config');
    const failure = () =>
      loadCredentials({ kubeconfig: file }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    expect(messageOf(await failure())).toContain('ENOENT');
    await writeFile(file, 'users: [{name: a, user: {token: canary}}]\nusers: [{canary');
    expect(messageOf(await failure())).toMatch(`kubeconfig ${file} cannot be read`);
    expect(inspect(await failure(), { depth: 9 })).not.toContain('canary');
  });

  it('split the server into its origin and a prefix of every path', async () => {
    const { credentials } = await load();
    expect(await credentials.session()).toMatchObject({ origin: 'https://one.example:6443', basePath: '/behind/a/prefix' });
  });

  it('read a token file again when asked to', async () => {
    const { credentials, write, authorization } = await load();
    await write('token', 'second');
    expect(await authorization()).toBe('Bearer first');
    await credentials.refresh();
    expect(await authorization()).toBe('Bearer second');
  });

  it('are fresh after a refresh that began during an ordinary reload', async () => {
    const { credentials, write, authorization } = await load({ reloadIntervalMs: 0 });
    await write('token', 'second');
    const reload = credentials.session();
    await credentials.refresh();
    await reload;
    expect(await authorization()).toBe('Bearer second');
  });

  it('follow a kubeconfig that changed, once it is time to look', async () => {
    const clock = new FakeClock();
    const { credentials, write } = await load({ clock, reloadIntervalMs: 1_000 });
    const before = await credentials.session();
    await write('config', kubeconfig('https://two.example:6443'));
    await clock.advance(999);
    expect(await credentials.session()).toBe(before);
    await clock.advance(1);
    expect(await credentials.session()).toMatchObject({ origin: 'https://two.example:6443', basePath: '' });
  });

  it('keep their connections while server and certificates stay the same', async () => {
    const { credentials } = await load();
    const before = await credentials.session();
    await credentials.refresh();
    const after = await credentials.session();
    expect(after).not.toBe(before);
    expect(after.dispatcher).toBe(before.dispatcher);
  });
});
