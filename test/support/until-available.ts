import { codeOf } from '@quartermaster/kernel';
import { vi } from 'vitest';

/** A leader loses its term for a moment on a busy machine, and reads what stands before it answers. */
const patience = { timeout: 60_000, interval: 100 };

/** Repeats a call for as long as it is answered `unavailable`. Any other failure is thrown at once. */
export async function untilAvailable<T>(call: () => Promise<T>): Promise<T> {
  const settle = await vi.waitFor(async () => {
    try {
      const answer = await call();
      return () => answer;
    } catch (thrown) {
      if (codeOf(thrown) === 'unavailable') throw thrown;
      return () => {
        throw thrown;
      };
    }
  }, patience);
  return settle();
}
