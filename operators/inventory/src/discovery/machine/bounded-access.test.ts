import { FakeClock, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { BoundedAccess } from './bounded-access.ts';

describe('BoundedAccess', () => {
  it('waits so long and no longer, and does not begin again what hangs, until that has ended', async () => {
    const clock = new FakeClock();
    const access = new BoundedAccess(clock, 10_000);
    const { promise, resolve } = Promise.withResolvers<string>();
    let begun = 0;
    const hang = (): Promise<string> => {
      begun += 1;
      return promise;
    };
    const first = access.run('/proc/driver/nvidia/gpus', hang).catch(String);
    await clock.advance(10_000);
    expect(await first).toContain('/proc/driver/nvidia/gpus could not be read within 10000 ms');
    await expect(access.run('/proc/driver/nvidia/gpus', hang)).rejects.toThrow('is not read: an earlier attempt hangs');
    expect(begun).toBe(1);
    expect(await access.run('/sys/block', async () => 'vda')).toBe('vda');
    resolve('late');
    await clock.advance(0);
    expect(await access.run('/proc/driver/nvidia/gpus', async () => 'now')).toBe('now');
  });

  it('leaves no timer behind, and passes on what a read throws', async () => {
    const clock = new FakeClock();
    const access = new BoundedAccess(clock, 10_000);
    const refused = new StatusError('not_found', 'there is none');
    await expect(access.run('/a', () => Promise.reject(refused))).rejects.toBe(refused);
    expect(clock.pendingTimers).toBe(0);
    expect(await access.run('/a', async () => 1)).toBe(1);
  });
});
