import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFaults, faultBook } from './fault-book.ts';
import { faultsBy } from './fault-client.ts';
import { type ControlFile, startFaultControl } from './fault-control.ts';
import { type FaultyNodes, NodeFaults } from './node-faults.ts';
import { shownFaults } from './shown-faults.ts';

const clock = new FakeClock();

const nodes: FaultyNodes = {
  loseNode: (name) => {
    if (name !== 'n1') throw new StatusError('not_found', `there is no simulated node "${name}"`);
  },
  restoreNode: async () => {},
  loseGpus: async () => {},
  restoreGpus: async () => {},
  reportXid: () => {},
  resetGpus: () => {},
  skewClock: () => {},
};

function memoryApi(): ApiFaults {
  const faults = new Map<string, { kind: string }>();
  return {
    list: async () => [...faults].map(([id, fault]) => ({ id, fault })),
    add: async (fault) => {
      faults.set('1', fault as { kind: string });
      return '1';
    },
    remove: async (id) => faults.delete(id),
  };
}

let directory: string;
let file: string;
let control: { stop(): Promise<void> };
let content: ControlFile;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'faults-'));
  file = join(directory, 'control.json');
  control = await startFaultControl(faultBook(new NodeFaults(nodes), memoryApi(), clock), file);
  content = JSON.parse(readFileSync(file, 'utf8')) as ControlFile;
});
afterEach(async () => {
  await control.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function ask(method: string, path: string, body?: string, token = content.token): Promise<[number, unknown]> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(new URL(path, content.url), { method, headers, body: body ?? null });
  return [answer.status, await answer.json()];
}

describe('startFaultControl', () => {
  it('adds, lists and removes faults of nodes and of the API server under one roof', async () => {
    expect(await ask('POST', '/faults', '{"kind":"node-loss","node":"n1"}')).toEqual([200, { id: 'node-loss:n1' }]);
    expect(await ask('POST', '/faults', '{"kind":"latency","ms":5}')).toEqual([200, { id: '1' }]);
    const [, listed] = await ask('GET', '/faults');
    const since = clock.now();
    expect(listed).toMatchObject({
      faults: [
        { id: '1', fault: { kind: 'latency', ms: 5 }, since },
        { id: 'node-loss:n1', fault: { kind: 'node-loss', node: 'n1' }, since },
      ],
    });
    await clock.advance(7_000);
    expect(await ask('DELETE', '/faults/node-loss%3An1')).toEqual([200, {}]);
    expect(await ask('DELETE', '/faults/1')).toEqual([200, {}]);
    expect((await ask('GET', '/faults'))[1]).toMatchObject({ faults: [] });
    const book = faultsBy(file);
    expect(await shownFaults(book)).toEqual({
      active: [],
      history: [
        { at: since, change: 'began', fault: { id: 'node-loss:n1', kind: 'node-loss', node: 'n1', settings: {} } },
        { at: since, change: 'began', fault: { id: '1', kind: 'latency', node: undefined, settings: { ms: '5' } } },
        { at: since + 7_000, change: 'ended', fault: { id: 'node-loss:n1', kind: 'node-loss', node: 'n1', settings: {} } },
        { at: since + 7_000, change: 'ended', fault: { id: '1', kind: 'latency', node: undefined, settings: { ms: '5' } } },
      ],
    });
  });

  it.each([
    ['POST', '/faults', '{"kind":"node-loss","node":"n9"}', 404, 'there is no simulated node "n9"'],
    ['POST', '/faults', '{"kind":"gpu-loss","node":"n1","count":0}', 400, 'fault.count: '],
    ['POST', '/faults', '{"kind":', 400, 'the body is not JSON'],
    ['DELETE', '/faults/7', undefined, 404, 'there is no active fault 7'],
    ['PUT', '/faults', '{}', 404, 'there is no PUT /faults'],
  ])('answers %s %s %s with %d', async (method, path, body, status, words) => {
    const [answered, problem] = await ask(method, path, body);
    expect(answered).toBe(status);
    expect(JSON.stringify(problem)).toContain(JSON.stringify(words).slice(1, -1));
  });

  it('takes orders only from who can read its file, which nobody else can', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await ask('GET', '/faults', undefined, 'guessed'))[0]).toBe(401);
  });

  it('takes its file away when it stops', async () => {
    await control.stop();
    expect(existsSync(file)).toBe(false);
    control = { stop: async () => {} };
  });
});

describe('faultBook', () => {
  it('knows only nodes where the API server is a real one', async () => {
    const book = faultBook(new NodeFaults(nodes), undefined, clock);
    await expect(book.add({ kind: 'latency', ms: 5 })).rejects.toThrow(
      'only node-loss, gpu-loss, gpu-xid, clock-skew can be inflicted here',
    );
    expect(await book.add({ kind: 'node-loss', node: 'n1' })).toBe('node-loss:n1');
    expect(await book.list()).toHaveLength(1);
  });
});
