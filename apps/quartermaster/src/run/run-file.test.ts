import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { version } from '../product/product.ts';
import { type ProcessLock, takeProcessLock } from './process-lock.ts';
import { findRun, type RunFacts, writeRunFile } from './run-file.ts';

const facts: RunFacts = {
  pid: process.pid,
  version,
  console: 'http://127.0.0.1:7390',
  admin: 'http://127.0.0.1:7391',
  kubeconfig: '/kubeconfig',
  kubernetes: 'simulated',
  roles: { 'operator-inventory': { grpc: '127.0.0.1:1', rest: 'http://127.0.0.1:2' } },
  tenants: [],
};

let directory: string;
let lock: ProcessLock;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'run-'));
  lock = takeProcessLock(directory);
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (text: string): void => writeFileSync(join(directory, 'run.json'), text);

describe('findRun', () => {
  it('finds what the process that holds the directory wrote', () => {
    writeRunFile(directory, facts);
    expect(findRun(directory)).toEqual(facts);
  });

  it('says that nothing runs once the directory is free, whatever was left in it', () => {
    writeRunFile(directory, facts);
    lock.release();
    expect(() => findRun(directory)).toThrow(`nothing runs on ${directory}: start it with`);
  });

  it.each([
    ['nothing was written yet', undefined],
    ['a process that was killed left its file', JSON.stringify({ ...facts, pid: process.pid + 1 })],
    ['one of another release was killed', JSON.stringify({ pid: process.pid + 1, version: '0.0.9' })],
  ])('says that it is still starting when %s', (_what, text) => {
    if (text !== undefined) write(text);
    expect(() => findRun(directory)).toThrow(`process ${process.pid} is still starting or already stopping`);
  });

  it.each([
    ['fields that this one does not know', { ...facts, version: '0.0.9', roles: undefined, inventory: '127.0.0.1:1' }, '0.0.9'],
    ['no fields that any release wrote', {}, 'unknown'],
    ['something else than an object', 7, 'unknown'],
  ])('names the file, the release that wrote it and the way out when it has %s', (_what, content, release) => {
    write(JSON.stringify(content));
    expect(() => findRun(directory)).toThrow(
      `${directory}/run.json was written by another release of Quartermaster (${release}, this is ${version}): use that release, or stop process ${process.pid} and start`,
    );
  });
});
