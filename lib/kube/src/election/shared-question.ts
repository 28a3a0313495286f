/**
 * Makes all who ask at the same time share one question. One is on its way at a time, and whoever comes meanwhile shares the next: an answer to what was sent before may be
 * older than the reason to ask.
 */
export function sharedQuestion<T>(ask: () => Promise<T>): () => Promise<T> {
  let unsent: Promise<T> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    if (unsent === undefined) {
      unsent = last.then(() => {
        unsent = undefined;
        return ask();
      });
      last = unsent.catch(() => undefined);
    }
    return unsent;
  };
}
