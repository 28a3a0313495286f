import { type Clock, systemClock } from '@quartermaster/kernel';

/** The clock of this machine, so many times as fast since then: what takes minutes takes seconds. Those that begin at the same time agree, whenever they are made. */
export function fastClock(times: number, since: number): Clock {
  return {
    now: () => since + (systemClock.now() - since) * times,
    monotonic: () => systemClock.monotonic() * times,
    schedule: (afterMs, callback) => systemClock.schedule(afterMs / times, callback),
  };
}
