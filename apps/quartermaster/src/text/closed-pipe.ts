/** Lets a stream of this process lose its reader: `quartermaster get nodes | head` has seen enough, and that is no error. */
export function mayLoseReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
