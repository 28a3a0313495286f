import { isFailure } from '@quartermaster/kube';

const tries = 600;

/** Repeats an action, 50 ms apart, for as long as the server is away; any other failure is thrown. */
export async function persistently(action: () => Promise<unknown>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await action();
      return;
    } catch (error) {
      if (tried === tries || !isFailure(error, 'connection', 'timeout', 'server', 'throttled')) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
  }
}
