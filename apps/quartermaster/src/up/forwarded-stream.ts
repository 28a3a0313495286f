import { Duplex, type Readable, type Writable } from 'node:stream';

export interface ForwardedPort {
  readonly input: Writable;
  readonly output: Readable;
}

/**
 * A forwarded port as one stream. Whoever is done with it destroys it, like a socket: that ends the connection and is no failure, as it would be for
 * `Duplex.from`, which raises an error that nobody hears any more and leaves the other side waiting.
 */
export function forwardedStream({ input, output }: ForwardedPort): Duplex {
  const stream = new Duplex({
    read: () => void output.resume(),
    write: (chunk: Buffer, encoding, done) => void input.write(chunk, encoding, done),
    final: (done) => void input.end(done),
    destroy: (error, done) => {
      input.end();
      output.destroy();
      done(error);
    },
  });
  output.on('data', (chunk: Buffer) => {
    if (!stream.push(chunk)) output.pause();
  });
  output.once('end', () => stream.push(null));
  for (const side of [input, output]) side.on('error', (error) => stream.destroy(error));
  return stream;
}
