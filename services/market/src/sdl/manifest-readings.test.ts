import { create } from '@bufbuild/protobuf';
import { SdlFaultSchema } from '@quartermaster/api/market';
import { FakeClock, StatusError } from '@quartermaster/kernel';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManifestReadings } from './manifest-readings.ts';
import type { SdlReading } from './sdl-reading.ts';

const never = new AbortController().signal;

/** What reads each text as itself, and tells who had it read what. */
class Reader {
  readonly reads: string[] = [];
  answer: (text: string, signal: AbortSignal | undefined) => Promise<SdlReading> = async (text) => ({
    ...{ groups: [], manifest: text, manifestHash: `hash of ${text}` },
  });

  async read(text: string, caller: string, signal?: AbortSignal): Promise<SdlReading> {
    this.reads.push(`${text} for ${caller}`);
    return await this.answer(text, signal);
  }
}

describe('manifests for leases', () => {
  let clock: FakeClock;
  let sdl: Reader;
  let readings: ManifestReadings;
  const read = (deployment: string, text: string, owner = 'amy', signal = never) => readings.read({ deployment, owner, text }, signal);

  beforeEach(() => {
    clock = new FakeClock();
    sdl = new Reader();
    readings = new ManifestReadings({ sdl, clock, maxKept: 3, maxKeptBytes: 40 });
  });

  it('are read once for all leases of a deployment, in the turn of its owner', async () => {
    const asked = await Promise.all(Array.from({ length: 20 }, () => read('1', 'a')));
    expect(asked).toEqual(asked.map(() => ({ manifest: 'a', manifestHash: 'hash of a' })));
    expect(await read('1', 'a')).toBe(asked[0]);
    await read('2', 'a', 'bob');
    expect(sdl.reads).toEqual(['a for account amy', 'a for account bob']);
  });

  it('are read anew for another SDL, and nothing is kept of the one before', async () => {
    await read('1', 'a');
    expect(await read('1', 'b')).toMatchObject({ manifest: 'b' });
    await read('1', 'b');
    await read('1', 'a');
    expect(sdl.reads.map((each) => each[0])).toEqual(['a', 'b', 'a']);
    expect(clock.pendingTimers).toBe(1);
  });

  it('are kept for a minute, few of them, and none that are too large', async () => {
    for (const deployment of ['1', '2', '3', '4']) await read(deployment, 'a');
    expect(clock.pendingTimers).toBe(3);
    await read('4', 'a');
    expect(sdl.reads).toHaveLength(4);
    await read('1', 'a');
    expect(sdl.reads).toHaveLength(5);
    // Of 40 bytes it takes 36: one other of 2 bytes stays.
    await read('5', 'x'.repeat(18));
    expect(clock.pendingTimers).toBe(3);
    await read('6', 'x'.repeat(19));
    expect(clock.pendingTimers).toBe(1);
    await read('7', 'x'.repeat(21));
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(60_000);
    expect(clock.pendingTimers).toBe(0);
    await read('6', 'x'.repeat(19));
    expect(sdl.reads).toHaveLength(9);
  });

  it('share what is wrong with an SDL, and no failure of the reader', async () => {
    const faults = [create(SdlFaultSchema, { code: 'TooSlow' })];
    sdl.answer = async () => ({ faults });
    expect([await read('1', 'a'), await read('1', 'a')]).toEqual([{ faults }, { faults }]);
    expect(sdl.reads).toHaveLength(1);
    sdl.answer = async () => {
      throw new StatusError('resource_exhausted', 'too many wait');
    };
    for (const _time of [1, 2]) await expect(read('2', 'a')).rejects.toThrow('too many wait');
    expect(sdl.reads).toHaveLength(3);
  });

  it('are read on for those who still wait, and not once nobody does', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const reading = Promise.withResolvers<SdlReading>();
    sdl.answer = async (_text, signal) => {
      signals.push(signal);
      return await reading.promise;
    };
    const [first, second] = [new AbortController(), new AbortController()];
    const [gone, alsoGone] = [read('1', 'a', 'amy', first.signal), read('1', 'a', 'amy', second.signal)];
    first.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
    second.abort(new Error('also gone'));
    await expect(alsoGone).rejects.toThrow('also gone');
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    const next = read('1', 'a');
    await expect(read('1', 'a', 'amy', second.signal)).rejects.toThrow('also gone');
    reading.resolve({ groups: [], manifest: 'a', manifestHash: 'b' });
    expect(await next).toMatchObject({ manifest: 'a' });
    expect(signals).toHaveLength(2);
  });
});
