/**
 * Runs something that a person may end with Ctrl-C, and that ends as well when nobody reads its output any more. Keeps the process alive
 * meanwhile: waiting for a server that is gone would not.
 */
export async function untilInterrupted(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interruption = new AbortController();
  const end = (): void => interruption.abort();
  const endOnClosedPipe = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    end();
  };
  // What packages do by old ways (a server name that is an IP address, say) is not for the person who asked for a table.
  process.noDeprecation = true;
  const alive = setInterval(() => {}, 2 ** 30);
  process.on('SIGINT', end).on('SIGTERM', end);
  process.stdout.on('error', endOnClosedPipe);
  try {
    await run(interruption.signal);
  } finally {
    clearInterval(alive);
    process.off('SIGINT', end).off('SIGTERM', end);
    process.stdout.off('error', endOnClosedPipe);
  }
}
