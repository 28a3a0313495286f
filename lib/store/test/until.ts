import { vi } from 'vitest';

/** Waits for a condition, for as long as a busy machine may need. */
export function until<T>(condition: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(condition, { timeout: 30_000, interval: 10 });
}
