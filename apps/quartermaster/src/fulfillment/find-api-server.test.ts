import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContextsFile, contextsPath } from './contexts-file.ts';
import { findApiServer } from './find-api-server.ts';

let folder: string;
let env: NodeJS.ProcessEnv;
let file: ContextsFile;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quartermaster-contexts-'));
  env = { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  file = new ContextsFile(contextsPath(env));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('findApiServer', () => {
  it('takes a flag before the environment, a login before a running `up`', async () => {
    file.save('one', { address: 'one:1', isPlainText: false, token: 'of-one' });
    file.save('two', { address: '127.0.0.1:2', isPlainText: true, token: 'of-two', api: 'public' });
    expect(findApiServer({}, env)).toMatchObject({ address: '127.0.0.1:2', api: 'public', origin: 'login two' });
    expect(findApiServer({}, { ...env, QUARTERMASTER_CONTEXT: 'one' }).address).toBe('one:1');
    expect(findApiServer({ context: 'two' }, { ...env, QUARTERMASTER_CONTEXT: 'one' }).address).toBe('127.0.0.1:2');
    expect(findApiServer({}, { ...env, QUARTERMASTER_API_SERVER: 'three:3' }).address).toBe('three:3');
    expect(findApiServer({ server: 'four:4' }, { ...env, QUARTERMASTER_API_SERVER: 'three:3' }).address).toBe('four:4');
    expect(() => findApiServer({ dataDir: join(folder, 'up') }, env)).toThrow('nothing runs on');
  });

  it('never shows the token of a login to another server', async () => {
    file.save('one', { address: 'one:1', isPlainText: false, token: 'of-one' });
    expect(await findApiServer({}, env).token?.()).toBe('of-one');
    expect(findApiServer({ server: 'other:1' }, env).token).toBeUndefined();
  });

  it('speaks TLS to other machines, and to this one when certificates are spoken of', () => {
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, 'PEM');
    expect(findApiServer({ server: 'other:1' }, env)).toMatchObject({ tls: {}, allowInsecure: false });
    expect(findApiServer({ server: '127.0.0.1:1' }, env).tls).toBeUndefined();
    expect(findApiServer({ server: '127.0.0.1:1', caFile: ca }, env).tls).toEqual({ ca: 'PEM' });
    file.save('saved', { address: 'other:1', isPlainText: false, caFile: ca, tlsServerName: 'api' });
    expect(findApiServer({}, env).tls).toEqual({ ca: 'PEM', serverName: 'api' });
  });

  it('reads the token of a file anew each time', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'a\n');
    const { token } = findApiServer({ server: '127.0.0.1:1', tokenFile }, env);
    expect(await token?.()).toBe('a');
    writeFileSync(tokenFile, 'b\n');
    expect(await token?.()).toBe('b');
  });

  it('names the logins that there are', () => {
    file.save('one', { address: 'one:1', isPlainText: false });
    expect(() => findApiServer({ context: 'none' }, env)).toThrow(
      'no login is saved as "none" (there are one): quartermaster login ADDRESS --name none',
    );
  });
});

describe('ContextsFile', () => {
  it('is readable by its user alone and forgets what is removed', () => {
    file.save('one', { address: 'one:1', isPlainText: false, token: 'secret' });
    file.save('two', { address: 'two:1', isPlainText: false });
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    file.use('one');
    file.remove('one');
    expect(file.read()).toEqual({ contexts: { two: { address: 'two:1', isPlainText: false } } });
  });

  it('says nothing of what is in a file that it cannot understand', () => {
    file.save('one', { address: 'one:1', isPlainText: false, token: 'secret' });
    writeFileSync(file.path, '{"contexts": "secret"');
    expect(() => file.read()).toThrow(/^.*does not hold saved logins: remove it and log in again$/);
  });
});
