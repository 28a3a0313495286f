import { StatusError } from '@quartermaster/kernel';

/** What the work failed with. */
export async function failureOf(work: Promise<unknown> | (() => unknown)): Promise<StatusError> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (thrown) {
    if (thrown instanceof StatusError) return thrown;
    throw thrown;
  }
  throw new Error('it succeeded');
}
