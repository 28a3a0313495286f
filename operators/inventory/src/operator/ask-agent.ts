import { type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { StatusError } from '@quartermaster/kernel';

export interface AgentQuestion {
  /** A connection to the agent, which is closed in the end. */
  readonly stream: Duplex;
  /** SHA-256 of the one certificate that is trusted. */
  readonly fingerprint: string;
  readonly token: string;
  readonly path: string;
}

const maxAnswerBytes = 256 * 1024;
const maxReasonLength = 200;

/**
 * Asks an agent over TLS and returns the JSON that it answers. The certificate is compared before anything is sent, so that the token reaches nobody else; neither its
 * names nor its authority count.
 */
export async function askAgent({ stream, fingerprint, token, path }: AgentQuestion, signal: AbortSignal): Promise<unknown> {
  const socket = connect({ socket: stream, rejectUnauthorized: false, minVersion: 'TLSv1.2' });
  const abort = (): void => void socket.destroy(new StatusError('unavailable', 'it did not answer in time'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    if (signal.aborted) abort();
    await secured(socket);
    if (socket.getPeerX509Certificate()?.fingerprint256 !== fingerprint) {
      throw new StatusError('unavailable', 'it shows another certificate than its NodeHardware names');
    }
    const answer = await answerOf(socket, { path, headers: { host: 'agent', authorization: `Bearer ${token}`, connection: 'close' } });
    const text = await textOf(answer);
    if (answer.statusCode === 200) return JSON.parse(text);
    throw new StatusError('unavailable', `it answers ${answer.statusCode}: ${reasonIn(text)}`);
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
    stream.destroy();
  }
}

function secured(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve);
    // Stays, so that an error after the answer has somebody who hears it.
    socket.on('error', reject);
    socket.once('close', () => reject(new StatusError('unavailable', 'it closed the connection')));
  });
}

function answerOf(
  socket: TLSSocket,
  options: { readonly path: string; readonly headers: Record<string, string> },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ ...options, createConnection: () => socket }, resolve)
      .once('error', reject)
      .end();
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new StatusError('unavailable', `its answer is longer than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Agents say what is wrong in a field; whatever else is there may be anything. */
function reasonIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message.slice(0, maxReasonLength) : 'no reason given';
  } catch {
    return 'no reason given';
  }
}
