import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeProcessLock } from '../run/process-lock.ts';
import { type RunFacts, writeRunFile } from '../run/run-file.ts';
import { ContextsFile, contextsPath } from './contexts-file.ts';
import { findServer } from './find-server.ts';

const url = 'http://127.0.0.1:1';
const facts: RunFacts = {
  pid: process.pid,
  version: '1',
  console: url,
  admin: url,
  kubeconfig: '/k',
  kubernetes: 'simulated',
  roles: {},
  startedAt: 0,
  server: 'https://127.0.0.1:1',
  parts: [],
  tenants: [],
};

let folder: string;
let env: NodeJS.ProcessEnv;
let file: ContextsFile;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quartermaster-contexts-'));
  env = { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  file = new ContextsFile(contextsPath(env));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('findServer', () => {
  it('takes a flag before the environment, a login before a running `up`', async () => {
    file.save('one', { address: 'one:1', isPlainText: false, token: 'of-one' });
    file.save('two', { address: '127.0.0.1:2', isPlainText: true, token: 'of-two', api: 'public' });
    expect(findServer('fulfillment', {}, env)).toMatchObject({ address: '127.0.0.1:2', api: 'public', origin: 'login two' });
    expect(findServer('fulfillment', {}, { ...env, QUARTERMASTER_CONTEXT: 'one' }).address).toBe('one:1');
    expect(findServer('fulfillment', { context: 'two' }, { ...env, QUARTERMASTER_CONTEXT: 'one' }).address).toBe('127.0.0.1:2');
    expect(findServer('fulfillment', {}, { ...env, QUARTERMASTER_API_SERVER: 'three:3' }).address).toBe('three:3');
    expect(findServer('fulfillment', { server: 'four:4' }, { ...env, QUARTERMASTER_API_SERVER: 'three:3' }).address).toBe('four:4');
    expect(() => findServer('fulfillment', { dataDir: join(folder, 'up') }, env)).toThrow('nothing runs on');
  });

  it('keeps logins to markets apart from those to fulfillment services, each with a current one', () => {
    file.save('api', { address: 'api:1', isPlainText: false });
    file.save('trade', { address: 'trade:1', isPlainText: false, server: 'market' });
    file.save('other', { address: 'other:1', isPlainText: false, server: 'market' });
    file.use('trade');
    expect(findServer('fulfillment', {}, env).address).toBe('api:1');
    expect(findServer('market', {}, env).address).toBe('trade:1');
    expect(findServer('market', { context: 'other' }, env).address).toBe('other:1');
    expect(findServer('market', {}, { ...env, QUARTERMASTER_CONTEXT: 'other' }).address).toBe('other:1');
    expect(findServer('fulfillment', {}, { ...env, QUARTERMASTER_CONTEXT: 'other' }).address).toBe('api:1');
    expect(() => findServer('market', { context: 'api' }, env)).toThrow('login api is to a fulfillment service, and a market is asked');
    file.remove('trade');
    expect(findServer('fulfillment', {}, env).address).toBe('api:1');
    expect(() => findServer('market', {}, env)).toThrow('log in to another with `quartermaster login ADDRESS --market`');
  });

  it('keeps to one current login when a name is saved anew for another server', () => {
    file.save('one', { address: 'api:1', isPlainText: false });
    file.save('one', { address: 'trade:1', isPlainText: false, server: 'market' });
    expect(findServer('market', {}, env).address).toBe('trade:1');
    expect(() => findServer('fulfillment', {}, env)).toThrow('nothing runs on');
  });

  it('never shows the token of a login to another server', async () => {
    file.save('one', { address: 'one:1', isPlainText: false, token: 'of-one' });
    expect(await findServer('fulfillment', {}, env).token?.()).toBe('of-one');
    expect(findServer('fulfillment', { server: 'other:1' }, env).token).toBeUndefined();
  });

  it('speaks TLS to other machines, and to this one when certificates are spoken of', () => {
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, 'PEM');
    expect(findServer('fulfillment', { server: 'other:1' }, env)).toMatchObject({ tls: {}, allowInsecure: false });
    expect(findServer('fulfillment', { server: '127.0.0.1:1' }, env).tls).toBeUndefined();
    expect(findServer('fulfillment', { server: '127.0.0.1:1', caFile: ca }, env).tls).toEqual({ ca: 'PEM' });
    file.save('saved', { address: 'other:1', isPlainText: false, caFile: ca, tlsServerName: 'api' });
    expect(findServer('fulfillment', {}, env).tls).toEqual({ ca: 'PEM', serverName: 'api' });
  });

  it('reads the token of a file anew each time', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'a\n');
    const { token } = findServer('fulfillment', { server: '127.0.0.1:1', tokenFile }, env);
    expect(await token?.()).toBe('a');
    writeFileSync(tokenFile, 'b\n');
    expect(await token?.()).toBe('b');
  });

  it('names the logins that there are', () => {
    file.save('one', { address: 'one:1', isPlainText: false });
    expect(() => findServer('fulfillment', { context: 'none' }, env)).toThrow(
      'no login is saved as "none" (there are one): quartermaster login ADDRESS --name none',
    );
  });
});

describe('findServer for what run.json says', () => {
  const role = 'service-fulfillment';
  const findIn = (dataDir: string, server: RunFacts['roles'][string]) => {
    const lock = takeProcessLock(dataDir);
    try {
      writeRunFile(dataDir, { ...facts, roles: { [role]: server } });
      return findServer('fulfillment', { dataDir }, env);
    } finally {
      lock.release();
    }
  };

  it('reads the token of `up`, also through a link to its directory', () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'of-up\n');
    const link = join(folder, 'link');
    symlinkSync(folder, link);
    for (const dataDir of [folder, link]) {
      const { token, allowInsecure } = findIn(dataDir, { grpc: '127.0.0.1:1', rest: url, tokenFile });
      expect(token?.()).toBe('of-up');
      expect(allowInsecure).toBe(false);
    }
  });

  it('has the tokens of the tenants of `up`, unless another token is given', () => {
    const tokenFile = join(folder, 'acme');
    writeFileSync(tokenFile, 'of-acme\n');
    const lock = takeProcessLock(folder);
    try {
      const tenants = [
        { name: 'acme', tokenFile },
        { name: 'globex', tokenFile: '/etc/hostname' },
      ];
      writeRunFile(folder, { ...facts, roles: { [role]: { grpc: '127.0.0.1:1', rest: url } }, tenants });
      const [acme, globex] = findServer('fulfillment', { dataDir: folder }, env).tenants ?? [];
      expect(acme?.token()).toBe('of-acme');
      expect(() => globex?.token()).toThrow(`${folder}/run.json: tenants.globex "/etc/hostname" must lie in ${folder}`);
      expect(findServer('fulfillment', { dataDir: folder, tokenFile }, env).tenants).toBeUndefined();
    } finally {
      lock.release();
    }
  });

  it.each(['http://elsewhere.example:80', 'https://elsewhere.example', '192.0.2.1:443'])('sends nothing to %s', (grpc) => {
    expect(() => findIn(folder, { grpc, rest: url })).toThrow(
      `${folder}/run.json: roles.${role}.grpc "${grpc}" must be an address of this machine: log in`,
    );
  });

  it('reads no file as a token that lies elsewhere, whatever it is called', () => {
    const dataDir = join(folder, 'up');
    mkdirSync(dataDir, { mode: 0o700 });
    const outside = join(folder, 'up-secret');
    writeFileSync(outside, 'canary');
    const link = join(dataDir, 'token');
    symlinkSync(outside, link);
    for (const tokenFile of [outside, link, join(dataDir, '..', 'up-secret')]) {
      const { token } = findIn(dataDir, { grpc: '127.0.0.1:1', rest: url, tokenFile });
      expect(() => token?.()).toThrow(`${dataDir}/run.json: roles.${role}.tokenFile "${tokenFile}" must lie in ${dataDir}: name`);
    }
  });
});

describe('findServer for the inventory', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'quartermaster-server-'));
  });
  afterEach(() => {
    rmSync(dataDir, { recursive: true });
  });

  it('prefers the flag to the environment, and both to a running up', () => {
    const named = { QUARTERMASTER_SERVER: '127.0.0.1:2' };
    expect(findServer('inventory', { dataDir, server: '127.0.0.1:1' }, named)).toMatchObject({
      address: '127.0.0.1:1',
      origin: '--server',
    });
    expect(findServer('inventory', { dataDir }, named)).toMatchObject({ address: '127.0.0.1:2', origin: 'QUARTERMASTER_SERVER' });
  });

  it('asks the up that runs on the data directory, and says what to do when there is none or it has no inventory', () => {
    expect(() => findServer('inventory', { dataDir }, {})).toThrow(
      /nothing runs on .*: start it with `quartermaster up`.*--server ADDRESS/,
    );
    const lock = takeProcessLock(dataDir);
    try {
      // Left by one that was killed: its ports may be anybody's by now.
      writeRunFile(dataDir, { ...facts, pid: process.pid + 1, roles: { 'operator-inventory': { grpc: '127.0.0.1:9', rest: url } } });
      expect(() => findServer('inventory', { dataDir }, {})).toThrow(/is still starting or already stopping/);
      writeRunFile(dataDir, facts);
      expect(() => findServer('inventory', { dataDir }, {})).toThrow(/serves no inventory yet: .*--server ADDRESS/);
      writeRunFile(dataDir, { ...facts, roles: { 'operator-inventory': { grpc: '127.0.0.1:8081', rest: 'http://127.0.0.1:8443' } } });
      expect(findServer('inventory', { dataDir }, {})).toMatchObject({ address: '127.0.0.1:8081', origin: 'the running up' });
    } finally {
      lock.release();
    }
  });

  it('speaks TLS beyond this machine, and wherever a certificate is named', () => {
    const pem = join(dataDir, 'file.pem');
    writeFileSync(pem, 'PEM');
    expect(findServer('inventory', { dataDir, server: 'inventory.example:443' }, {}).tls).toEqual({});
    expect(findServer('inventory', { dataDir, server: '[::1]:443' }, {}).tls).toBeUndefined();
    expect(findServer('inventory', { dataDir, server: '[::1]:443', insecureSkipTlsVerify: true }, {}).tls).toEqual({
      skipVerification: true,
    });
    const flags = { dataDir, server: '127.0.0.1:1', caFile: pem, certFile: pem, keyFile: pem, tlsServerName: 'inventory' };
    expect(findServer('inventory', flags, {}).tls).toEqual({ ca: 'PEM', cert: 'PEM', key: 'PEM', serverName: 'inventory' });
  });

  it('reads the token anew each time', () => {
    const tokenFile = join(dataDir, 'token');
    writeFileSync(tokenFile, 'first\n');
    const { token } = findServer('inventory', { dataDir, server: '127.0.0.1:1', tokenFile }, {});
    expect(token?.()).toBe('first');
    writeFileSync(tokenFile, 'second\n');
    expect(token?.()).toBe('second');
  });

  it.each([
    [{ server: 'no port' }, '--server "no port" must be HOST, HOST:PORT, '],
    [{ server: 'ftp://a:1' }, 'must begin with https:// or http://'],
    [{ server: '127.0.0.1:1', caFile: 'x', insecureSkipTlsVerify: true }, '--ca-file and --insecure-skip-tls-verify contradict each other'],
    [{ server: '127.0.0.1:1', certFile: 'x' }, '--cert-file and --key-file belong together'],
    [{ server: '127.0.0.1:1', caFile: '/nowhere/ca.pem' }, '--ca-file /nowhere/ca.pem cannot be read'],
  ])('refuses %j and names the flag', (flags, text) => {
    expect(() => findServer('inventory', { dataDir, ...flags }, {})).toThrow(text);
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
    expect(() => file.read()).toThrow(/^.*is not a file of saved logins: remove it and log in again$/);
  });
});
