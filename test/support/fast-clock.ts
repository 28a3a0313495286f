import { type Clock, systemClock } from '@quartermaster/kernel';

/** The clock of this machine, from now on so many times as fast: what takes minutes takes seconds. */
export function fastClock(times: number): Clock {
  const [startedAt, startedMonotonic] = [systemClock.now(), systemClock.monotonic()];
  const passed = (): number => (systemClock.monotonic() - startedMonotonic) * times;
  return {
    now: () => startedAt + passed(),
    monotonic: () => startedMonotonic + passed(),
    schedule: (afterMs, callback) => systemClock.schedule(afterMs / times, callback),
  };
}
