import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { goodSdl } from '../../test/good-sdl.ts';
import { SdlReader } from './sdl-reader.ts';
import type { SdlReading } from './sdl-reading.ts';

const run = promisify(execFile);
const codesOf = (reading: SdlReading): string[] => ('faults' in reading ? reading.faults.map(({ code }) => code) : []);

/** A thread that hangs, dies or grows without end when a text says so, and finds one fault, the text itself, in every other. */
const oddWorker = new URL('../../test/odd-worker.ts', import.meta.url);

describe('SdlReader', () => {
  it('reads many at once, each with its own answer', async () => {
    await using reader = new SdlReader({ clock: new FakeClock() });
    const names = [...goodSdl.keys()];
    const readings = await Promise.all([...goodSdl.values()].map((text) => reader.read(text, 'ann')));
    expect(readings.map((reading, at) => ['groups' in reading, names[at]])).toEqual(names.map((name) => [true, name]));
    expect(codesOf(await reader.read('version: 1', 'ann'))).toContain('NotAllowed');
  });

  it('refuses what is too large, or not UTF-8, without a thread', async () => {
    await using reader = new SdlReader({ clock: new FakeClock(), workerFile: new URL('file:///nowhere.ts') });
    expect(codesOf(await reader.read(`#${'x'.repeat(256 * 1024)}`, 'ann'))).toEqual(['TooLarge']);
    expect(codesOf(await reader.read(`#${'ä'.repeat(128 * 1024)}`, 'ann'))).toEqual(['TooLarge']);
    expect(codesOf(await reader.read('a: \ud800', 'ann'))).toEqual(['BadText']);
  });

  it('replaces a thread that hangs, and reads the next text', async () => {
    const clock = new FakeClock();
    await using reader = new SdlReader({ clock, deadlineMs: 1_000, workerFile: oddWorker });
    expect(codesOf(await reader.read('first', 'ann'))).toEqual(['first']);
    const hanging = reader.read('hang', 'ann');
    const next = reader.read('next', 'ann');
    await clock.advance(1_000);
    expect(codesOf(await hanging)).toEqual(['TooSlow']);
    expect(codesOf(await next)).toEqual(['next']);
  });

  it.each(['die', 'grow'])('replaces a thread that is told to %s, and reads the next text', async (text) => {
    await using reader = new SdlReader({ clock: new FakeClock(), workerFile: oddWorker });
    const readings = [reader.read(text, 'ann'), reader.read('next', 'ann')];
    expect((await Promise.all(readings)).map(codesOf)).toEqual([['TooComplex'], ['next']]);
  });

  it('says when no thread can be started, and starts one when it can', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sdl-reader-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'worker.ts');
    await using reader = new SdlReader({ clock: new FakeClock(), workerFile: pathToFileURL(file) });
    await expect(reader.read('early', 'ann')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(reader.read('early', 'ann')).rejects.toMatchObject({ code: 'unavailable' });
    await writeFile(file, `import ${JSON.stringify(oddWorker)};`);
    expect(codesOf(await reader.read('late', 'ann'))).toEqual(['late']);
  });

  it('lets only so many wait', async () => {
    await using reader = new SdlReader({ clock: new FakeClock(), maxWaiting: 2, workerFile: oddWorker });
    const readings = ['a', 'b', 'c'].map((text) => reader.read(text, 'ann'));
    await expect(reader.read('d', 'ann')).rejects.toMatchObject({ code: 'resource_exhausted', details: { retryAfterMs: 1_000 } });
    expect((await Promise.all(readings)).map(codesOf)).toEqual([['a'], ['b'], ['c']]);
    expect(codesOf(await reader.read('d', 'ann'))).toEqual(['d']);
  });

  it('keeps a turn for others, however many texts one caller sends', async () => {
    await using reader = new SdlReader({ clock: new FakeClock(), workerFile: oddWorker, maxOfCaller: 2 });
    const readings = ['a', 'b', 'c'].map((text) => reader.read(text, 'ann'));
    await expect(reader.read('d', 'ann')).rejects.toMatchObject({
      code: 'resource_exhausted',
      message: '2 SDL texts of ann wait to be read; try again in a moment',
    });
    const order: string[] = [];
    for (const reading of [...readings, reader.read('e', 'bob')]) void reading.then((each) => order.push(...codesOf(each)));
    await vi.waitFor(() => expect(order).toEqual(['a', 'e', 'b', 'c']), 20_000);
  });

  it('gives each caller its turn, also where several send many', async () => {
    await using reader = new SdlReader({ clock: new FakeClock(), workerFile: oddWorker });
    const order: string[] = [];
    const read = async (text: string, caller: string) => void order.push(...codesOf(await reader.read(text, caller)));
    const sent = [
      ...['a1', 'a2', 'a3'].map((text) => read(text, 'ann')),
      ...['b1', 'b2', 'b3'].map((text) => read(text, 'bob')),
      ...['c1', 'c2'].map((text) => read(text, 'cat')),
    ];
    await Promise.all(sent);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3']);
  });

  it('forgets what nobody waits for any more, in line and at work', async () => {
    await using reader = new SdlReader({ clock: new FakeClock(), maxWaiting: 1, workerFile: oddWorker });
    const controller = new AbortController();
    const readings = ['a', 'b'].map((text) => reader.read(text, 'ann', controller.signal));
    controller.abort(new Error('gone'));
    for (const reading of readings) await expect(reading).rejects.toThrow('gone');
    await expect(reader.read('c', 'ann', controller.signal)).rejects.toThrow('gone');
    expect(codesOf(await reader.read('d', 'ann'))).toEqual(['d']);
  });

  it('answers everybody when it ends', async () => {
    const reader = new SdlReader({ clock: new FakeClock(), workerFile: oddWorker });
    const readings = ['a', 'b'].map((text) => expect(reader.read(text, 'ann')).rejects.toMatchObject({ code: 'unavailable' }));
    await reader[Symbol.asyncDispose]();
    await Promise.all(readings);
    await expect(reader.read('c', 'ann')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('keeps no process running once nothing is read', async () => {
    const reads = `
      const { SdlReader } = await import(${JSON.stringify(new URL('./sdl-reader.ts', import.meta.url))});
      const { systemClock } = await import('@quartermaster/kernel');
      const reader = new SdlReader({ clock: systemClock });
      console.log('faults' in (await reader.read('version: 1', 'ann')));`;
    const options = { cwd: import.meta.dirname, timeout: 25_000 };
    expect((await run(process.execPath, ['--input-type=module', '--eval', reads], options)).stdout).toBe('true\n');
  });
});
