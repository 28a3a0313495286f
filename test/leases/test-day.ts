import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The number that QUARTERMASTER_TEST_DAY is, or that of today. */
    readonly day: number;
  }
}

/** Which part is done of what would be too much for one run. With as many days in a row, all of it. */
export const testDay = inject('day');
