import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@quartermaster/kernel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { planOn } from '../../test/sample-book.ts';
import { a100, claims, Gi, gpus, node, one } from '../../test/sample-facts.ts';
import { sampleOrder } from '../../test/sample-order.ts';
import { limiter, programInput, programPricing } from './price-program.ts';

const { signal } = new AbortController();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'price-program-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function program(name: string, text: string, changed: { timeoutMs?: number; memoryBytes?: number; atOnce?: number } = {}) {
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o700 });
  return programPricing({ path, timeoutMs: 10_000, memoryBytes: 0, atOnce: 32, clock: systemClock, ...changed }, 6);
}

const order = sampleOrder();
const plan = planOn([node('n1')], order.request);
const quoteBy = async (name: string, text: string, changed?: Parameters<typeof program>[2]) =>
  (await program(name, text, changed)).quote({ order, plan }, signal);
const reasonOf = async (...args: Parameters<typeof quoteBy>): Promise<string> => {
  const quoted = await quoteBy(...args);
  if (quoted.kind === 'quote') throw new Error(`there is a price: ${quoted.quote.price.amount}`);
  return `${quoted.reasons[0]?.code}: ${quoted.reasons[0]?.message}`;
};

describe('a program that makes prices', () => {
  it('is told the order, and nothing of who asks it', async () => {
    const text = `#!/bin/bash\nread -r input; [[ "$input" == *'"cpu":1000'* ]] || exit 3\n/usr/bin/env | /usr/bin/grep -vE '^(PWD|SHLVL|_)=' > ${folder}/env\necho 1.0000001`;
    expect(await quoteBy('good', text)).toMatchObject({ kind: 'quote', quote: { price: { denom: 'uakt', amount: '1.000001' } } });
    expect((await readFile(join(folder, 'env'), 'utf8')).trim().split('\n').toSorted()).toEqual(['AKASH_DENOM=uakt', 'AKASH_OWNER=alice']);
  });

  it('makes no price when it fails, says nothing, or too much', async () => {
    expect(await reasonOf('fails', '#!/bin/sh\necho "no such card" >&2\nexit 4')).toMatch(
      /^PriceFailed: .*ended with status 4: no such card/,
    );
    expect(await reasonOf('mute', '#!/bin/sh\n')).toContain('wrote ""');
    for (const text of ['-1', '0', '0.0', '1e3', 'NaN', '1.2.3', '0x10', 'free'])
      expect(await reasonOf('odd', `#!/bin/sh\necho '${text}'`)).toContain('it must write a decimal number above zero');
    expect(await reasonOf('loud', '#!/bin/sh\nwhile :; do echo 1111111111111111; done')).toContain('wrote more than 1024 bytes');
    expect(await reasonOf('missing/program', '#!/bin/sh').catch(String)).toContain('ENOENT');
  });

  it('is not started where it is not a program', async () => {
    const path = join(folder, 'absent');
    const pricing = programPricing({ path, timeoutMs: 1_000, memoryBytes: 0, atOnce: 1, clock: systemClock }, 6);
    expect(await pricing.quote({ order, plan }, signal)).toMatchObject({ kind: 'no-price', reasons: [{ code: 'PriceFailed' }] });
  });

  it('ends with all that it started when its time is over', async () => {
    const text = `#!/bin/sh\n/bin/sleep 1000 &\necho $! > ${folder}/child\nwait`;
    expect(await reasonOf('slow', text, { timeoutMs: 300 })).toContain('did not end within 300 ms');
    const pid = Number(await readFile(join(folder, 'child'), 'utf8'));
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
  });

  it('ends with all that it started when nobody waits for its price any more', async () => {
    const pricing = await program('stopped', `#!/bin/sh\n/bin/sleep 1000 &\necho $! > ${folder}/stopped-child\nwait`);
    const ending = new AbortController();
    const quoting = pricing.quote({ order, plan }, ending.signal);
    const pid = await vi.waitFor(async () => {
      const text = await readFile(join(folder, 'stopped-child'), 'utf8');
      expect(text).toMatch(/^\d+\n$/);
      return Number(text);
    });
    ending.abort(new Error('nobody waits'));
    await expect(quoting).rejects.toThrow('nobody waits');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
  });

  it('holds nobody up where it cannot be killed', async () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const text = `#!/bin/sh\necho $$ > ${folder}/hanging\nexec /bin/sleep 1000`;
    try {
      expect(await reasonOf('hangs', text, { timeoutMs: 1_000 })).toContain('did not end within 1000 ms');
    } finally {
      kill.mockRestore();
      process.kill(Number(await readFile(join(folder, 'hanging'), 'utf8')), 'SIGKILL');
    }
  });

  it.skipIf(!existsSync(limiter))('makes no price where no process can be started, and ends nobody', () => {
    const script = `
      import { openSync } from 'node:fs';
      import { systemClock } from '@quartermaster/kernel';
      import { planOn } from './test/sample-book.ts';
      import { node } from './test/sample-facts.ts';
      import { sampleOrder } from './test/sample-order.ts';
      import { programPricing } from './src/bids/price-program.ts';
      const order = sampleOrder();
      const plan = planOn([node('n1')], order.request);
      const pricing = programPricing({ path: '/bin/true', timeoutMs: 1_000, memoryBytes: 0, atOnce: 1, clock: systemClock }, 6);
      console.log('begun');
      try { for (;;) openSync('/dev/null'); } catch {}
      console.log(JSON.stringify(await pricing.quote({ order, plan }, new AbortController().signal)));`;
    const args = ['--nofile=64', '--', process.execPath, '--input-type=module', '-e', script];
    const { stdout, status } = spawnSync(limiter, args, { cwd: new URL('../..', import.meta.url), encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: expect.stringMatching(/^begun\n.*PriceFailed.*EMFILE/), status: 0 });
  });

  it('leaves nobody behind who would keep us waiting', async () => {
    const text = `#!/bin/sh\n/bin/sleep 1000 &\necho $! > ${folder}/left\necho 2`;
    expect(await quoteBy('parent', text)).toMatchObject({ kind: 'quote' });
    const pid = Number(await readFile(join(folder, 'left'), 'utf8'));
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
  });

  it.skipIf(!existsSync(limiter))('has so much memory and no more', async () => {
    const text = `#!${process.execPath} --max-old-space-size=4000\nconst kept = [];\nfor (let i = 0; i < 40; i += 1) kept.push(Buffer.alloc(16 * 2 ** 20, 1));\nconsole.log(kept.length);`;
    expect(await quoteBy('large', text, { memoryBytes: 4 * Gi, timeoutMs: 60_000 })).toMatchObject({
      kind: 'quote',
      quote: { price: { amount: '40' } },
    });
    expect(await reasonOf('large', text, { memoryBytes: 512 * 2 ** 20, timeoutMs: 60_000 })).toMatch(/^PriceFailed: .*ended with/);
  });

  it('runs so many times at once', async () => {
    const text = `#!/bin/bash\necho x >> ${folder}/begun\nwhile [ ! -e ${folder}/go ]; do /bin/sleep 0.01; done\necho 1`;
    const pricing = await program('counted', text, { atOnce: 2 });
    const quotes = Array.from({ length: 5 }, () => pricing.quote({ order, plan }, signal));
    const begun = async () => (await readFile(join(folder, 'begun'), 'utf8')).trim().split('\n').length;
    await vi.waitFor(async () => expect(await begun()).toBe(2));
    await writeFile(join(folder, 'go'), '');
    expect((await Promise.all(quotes)).every(({ kind }) => kind === 'quote')).toBe(true);
    expect(await begun()).toBe(5);
  });

  it('is told of the cards that the order would get', () => {
    const request = one({
      gpus: gpus(2, 't4', 'a100'),
      volumes: [{ kind: 'ram', name: 'shm', bytes: Gi }],
      leasedIps: ['a'],
      randomPorts: 1,
    });
    const planned = planOn([node('n1', { cards: claims([a100, 2, 2]) })], request);
    const written = programInput({ ...sampleOrder({ request }), httpEndpoints: new Map([[1, 2]]) }, planned, 6);
    expect(JSON.parse(JSON.stringify(written))).toEqual({
      resources: [
        {
          memory: Gi,
          cpu: 1000,
          gpu: { units: 2, attributes: { vendor: { nvidia: { model: 'a100', ram: '80Gi', interface: 'sxm' } } } },
          storage: [{ class: 'ram', size: Gi }],
          count: 1,
          endpoint_quantity: 4,
          ip_lease_quantity: 1,
        },
      ],
      price: { denom: 'uakt', amount: '1000' },
      price_precision: 6,
    });
  });
});

/** One that nobody has buried yet is dead all the same. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
