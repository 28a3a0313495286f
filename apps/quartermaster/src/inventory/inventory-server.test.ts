import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatusError } from '@quartermaster/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explainedFailure } from '../server/explained-failure.ts';
import { takeProcessLock } from '../up/process-lock.ts';
import { type RunFacts, writeRunFile } from '../up/run-file.ts';
import { inventoryWords } from './inventory-connection.ts';
import { findServer } from './inventory-server.ts';

const url = 'http://127.0.0.1:1';
const facts: RunFacts = {
  pid: 1,
  version: '1',
  console: url,
  admin: url,
  kubeconfig: '/k',
  kubernetes: 'simulated',
  roles: {},
  tenants: [],
};

describe('findServer', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'quartermaster-server-'));
  });
  afterEach(() => {
    rmSync(dataDir, { recursive: true });
  });

  it('prefers the flag to the environment, and both to a running up', () => {
    const env = { QUARTERMASTER_SERVER: '127.0.0.1:2' };
    expect(findServer({ dataDir, server: '127.0.0.1:1' }, env)).toEqual({ address: '127.0.0.1:1' });
    expect(findServer({ dataDir }, env)).toEqual({ address: '127.0.0.1:2' });
  });

  it('asks the up that runs on the data directory, and says what to do when there is none or it has no inventory', () => {
    expect(() => findServer({ dataDir }, {})).toThrow(/nothing runs on .*: start it with `quartermaster up`.*--server HOST:PORT/);
    const lock = takeProcessLock(dataDir);
    try {
      writeRunFile(dataDir, facts);
      expect(() => findServer({ dataDir }, {})).toThrow(/serves no inventory yet: .*--server HOST:PORT/);
      writeRunFile(dataDir, { ...facts, roles: { 'operator-inventory': { grpc: '127.0.0.1:8081', rest: 'http://127.0.0.1:8443' } } });
      expect(findServer({ dataDir }, {})).toEqual({ address: '127.0.0.1:8081' });
    } finally {
      lock.release();
    }
  });

  it('speaks TLS beyond this machine, and wherever a certificate is named', () => {
    const file = join(dataDir, 'file.pem');
    writeFileSync(file, 'PEM');
    expect(findServer({ dataDir, server: 'inventory.example:443' }, {}).tls).toEqual({});
    expect(findServer({ dataDir, server: '[::1]:443' }, {}).tls).toBeUndefined();
    expect(findServer({ dataDir, server: '[::1]:443', insecureSkipTlsVerify: true }, {}).tls).toEqual({ skipVerification: true });
    const flags = { dataDir, server: '127.0.0.1:1', caFile: file, certFile: file, keyFile: file, tlsServerName: 'inventory' };
    expect(findServer(flags, {}).tls).toEqual({ ca: 'PEM', cert: 'PEM', key: 'PEM', serverName: 'inventory' });
  });

  it('reads the token anew each time', () => {
    const tokenFile = join(dataDir, 'token');
    writeFileSync(tokenFile, 'first\n');
    const { token } = findServer({ dataDir, server: '127.0.0.1:1', tokenFile }, {});
    expect(token?.()).toBe('first');
    writeFileSync(tokenFile, 'second\n');
    expect(token?.()).toBe('second');
  });

  it.each([
    [{ server: 'no-port' }, '--server "no-port" must be HOST:PORT'],
    [{ server: 'http://a:1' }, 'must be HOST:PORT'],
    [{ server: '127.0.0.1:1', caFile: 'x', insecureSkipTlsVerify: true }, '--ca-file and --insecure-skip-tls-verify contradict each other'],
    [{ server: '127.0.0.1:1', certFile: 'x' }, '--cert-file and --key-file belong together'],
    [{ server: '127.0.0.1:1', caFile: '/nowhere/ca.pem' }, '--ca-file /nowhere/ca.pem cannot be read'],
  ])('refuses %j and names the flag', (flags, text) => {
    expect(() => findServer({ dataDir, ...flags }, {})).toThrow(text);
  });
});

describe('explainedFailure', () => {
  const server = { address: '127.0.0.1:1' };
  const explained = (message: string, code: StatusError['code'] = 'unavailable') =>
    explainedFailure(new StatusError(code, message, { cause: new Error('again') }), server, inventoryWords);

  it('is one line that names the address, the cause and the way out', () => {
    expect(explained('No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: ')).toEqual(
      new StatusError(
        'unavailable',
        'no inventory answers at 127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1): start one, or name another with --server HOST:PORT or QUARTERMASTER_SERVER',
      ),
    );
    expect(explained('No connection established. Last error: Error: self-signed certificate. Resolution note: ')).toMatchObject({
      message: expect.stringContaining('--ca-file'),
    });
    expect(explained('Name resolution failed for target dns:x:1')).toMatchObject({ message: expect.stringContaining('--server') });
    expect(explained('who are you', 'unauthenticated')).toMatchObject({ message: 'who are you; a token is given with --token-file' });
  });

  it('shows no stack for a failure inside of the server', () => {
    expect(explained('it broke', 'internal')).toMatchObject({ code: 'unavailable', message: '127.0.0.1:1: it broke' });
  });

  it('leaves a bug a bug', () => {
    const bug = new TypeError('x');
    expect(explainedFailure(bug, server, inventoryWords)).toBe(bug);
  });
});
