import { FakeClock, seededRandom, silentLog } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { UnsettledFates } from './unsettled-fates.ts';

function fates() {
  const clock = new FakeClock();
  const ending = new AbortController();
  return { clock, ending, unsettled: new UnsettledFates({ clock, random: seededRandom(1), log: silentLog, signal: ending.signal }) };
}

describe('a write whose fate is unknown', () => {
  it('is asked after until somebody says, and whoever asks meanwhile is told to ask again', async () => {
    const { clock, unsettled } = fates();
    let tries = 0;
    const told = unsettled.add('a', new Error('cut'), async () => {
      tries += 1;
      if (tries < 4) throw new Error('still away');
    });
    expect(told).toMatchObject({ code: 'unavailable' });
    expect([unsettled.has('a'), unsettled.has('b')]).toEqual([true, false]);
    expect(() => unsettled.refuse('a')).toThrow('ask again');
    expect(() => unsettled.refuse('b')).not.toThrow();
    await clock.advance(150);
    expect([tries, unsettled.has('a')]).toEqual([2, true]);
    await clock.advance(10_000);
    expect([tries, unsettled.has('a')]).toEqual([4, false]);
  });

  it('is of no interest after the term', async () => {
    const { clock, ending, unsettled } = fates();
    let tries = 0;
    unsettled.add('a', new Error('cut'), async () => {
      tries += 1;
    });
    ending.abort();
    await clock.advance(10_000);
    expect([tries, unsettled.has('a')]).toEqual([0, false]);
  });
});
