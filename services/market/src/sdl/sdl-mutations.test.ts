import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { goodSdl, ofLibrary } from '../../test/good-sdl.ts';
import { mutated } from '../../test/mutate-sdl.ts';
import { SdlReader } from './sdl-reader.ts';
import type { SdlReading } from './sdl-reading.ts';

const count = 10_000;
const atOnce = 100;

/** What the library says by itself; undefined where it or its reader of YAML refuses the text. */
const hashOfLibrary = (text: string): Promise<string | undefined> =>
  ofLibrary(text).then(
    ({ manifestHash }) => manifestHash,
    () => undefined,
  );

/** What is wrong with an answer to a text. */
function complaintOf(reading: SdlReading): string | undefined {
  if (!('faults' in reading)) return reading.groups.length === 0 ? 'neither groups nor faults' : undefined;
  for (const { path, code, message, line, column } of reading.faults) {
    if (!/^(\/.*)?$/s.test(path) || !/^[A-Z]\w+$/.test(code) || message.length < 10 || line > 0 !== column > 0)
      return `${path} ${code} ${message}`;
    // The library threw, or the thread was lost.
    if (['NotReadable', 'TooSlow', 'TooComplex'].includes(code)) return `${code} ${message}`;
  }
  return reading.faults.length === 0 ? 'no faults' : undefined;
}

describe('malformed SDL', () => {
  it(`is read or refused with reasons, ${count} times, and what is read is what the library reads`, async () => {
    await using reader = new SdlReader({ clock: new FakeClock(), maxWaiting: atOnce, maxOfCaller: atOnce });
    const random = seededRandom(15);
    const texts = [...goodSdl.values()];
    const complaints: (readonly [complaint: string, text: string])[] = [];
    let [read, refused, compared] = [0, 0, 0];
    for (let done = 0; done < count; done += atOnce) {
      const batch = Array.from({ length: atOnce }, () => mutated(texts, random));
      const readings = await Promise.all(batch.map((text) => reader.read(text, 'ann')));
      for (const [at, reading] of readings.entries()) {
        const text = batch[at] ?? '';
        const complaint = complaintOf(reading);
        if (complaint !== undefined) complaints.push([complaint, text]);
        if ('faults' in reading) refused += 1;
        else {
          read += 1;
          const hash = await hashOfLibrary(text);
          if (hash !== undefined) compared += 1;
          if (hash !== undefined && hash !== reading.manifestHash) complaints.push(['another hash', text]);
        }
      }
    }
    expect(complaints).toEqual([]);
    expect(read + refused).toBe(count);
    // Mutations that are all refused at once, or none of which matters, would show nothing.
    expect(Math.min(read, refused, compared)).toBeGreaterThan(count / 25);
    const after = await Promise.all(texts.map((text) => reader.read(text, 'ann')));
    expect(after.filter((reading) => 'faults' in reading)).toEqual([]);
  }, 120_000);
});
