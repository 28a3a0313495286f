/** Runs something that a person may end with Ctrl-C, and that ends as well when nobody reads its output any more. */
export async function untilInterrupted(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interruption = new AbortController();
  const end = (): void => interruption.abort();
  const endOnClosedPipe = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    end();
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  process.stdout.on('error', endOnClosedPipe);
  try {
    await run(interruption.signal);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    process.stdout.off('error', endOnClosedPipe);
  }
}
