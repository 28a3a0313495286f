import type { IncomingMessage } from 'node:http';
import { StatusError } from '@quartermaster/kernel';
import { TooLarge } from './http-answer.ts';

/** The body of a request as text. Reads no more than it may have. */
export async function readBody(request: IncomingMessage, most: number): Promise<string> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new StatusError('invalid_argument', 'header "content-encoding": must not be there: send the body as it is');
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length;
      if (bytes > most) throw new TooLarge(most);
      chunks.push(chunk as Buffer);
    }
  } catch (thrown) {
    // A caller that leaves while it sends is no failure of ours.
    throw thrown instanceof TooLarge ? thrown : new StatusError('invalid_argument', 'body: broke off', { cause: thrown });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new StatusError('invalid_argument', 'body: must be text in UTF-8');
  }
}

/** What a body says. */
export function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new StatusError('invalid_argument', 'body: must be JSON');
  }
}
