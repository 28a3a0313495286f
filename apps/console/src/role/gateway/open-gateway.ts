import type { IncomingMessage } from 'node:http';
import { getCACertificates } from 'node:tls';
import { type Log, messageOf, plainLine, StatusError } from '@quartermaster/kernel';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { codeOfStatus, type LeaseAccess } from './lease-token.ts';

const handshakeTimeout = 10_000;
/** A line of a log, or what a command wrote at once. */
const maxPayload = 1024 * 1024;
const mostWords = 4_096;
const mostAnswerBytes = 64 * 1024;

const refused = z.object({ message: z.string() });

/**
 * A WebSocket to a provider's gateway that is not read before `resume`. The address is the provider's own word, by way of the market, which admits
 * absolute https addresses alone. It is trusted no further than this: whoever answers there needs a certificate for that name of the authority that the
 * provider gave, is asked by GET for a WebSocket and nothing else, and is followed nowhere; of what is no WebSocket, a page gets one message in JSON.
 */
export async function openGateway({ uri, authority, token }: LeaseAccess, path: string, log: Log, signal: AbortSignal): Promise<WebSocket> {
  const url = new URL(uri);
  if (url.protocol !== 'https:') throw new StatusError('unavailable', 'the provider names a gateway that is not https');
  url.protocol = 'wss:';
  const socket = new WebSocket(`${url.href.replace(/\/$/, '')}${path}`, {
    // What is given may be the certificate of the gateway itself, or one on the way to an authority.
    ...(authority === ''
      ? { ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])] }
      : { ca: authority, allowPartialTrustChain: true }),
    rejectUnauthorized: true,
    followRedirects: false,
    perMessageDeflate: false,
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout,
    maxPayload,
    // A gateway that asks and does not read would have answers wait here without end.
    autoPong: false,
  });
  socket.on('ping', (data) => {
    if (socket.bufferedAmount < mostAnswerBytes) socket.pong(data);
  });
  const give = (): void => socket.terminate();
  signal.addEventListener('abort', give, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      socket.once('open', () => {
        socket.pause();
        resolve(socket);
      });
      socket.once('unexpected-response', (_request, answer) => {
        void refusalIn(answer).then(reject);
      });
      socket.on('error', (error) => {
        if (!signal.aborted) log.warn('the gateway of a provider cannot be reached', { uri, error: messageOf(error) });
        reject(new StatusError('unavailable', 'the gateway of the provider does not answer as it should', { cause: error }));
      });
    });
  } finally {
    signal.removeEventListener('abort', give);
  }
}

/** What the gateway says of why there is no stream. Never rejected. */
async function refusalIn(answer: IncomingMessage): Promise<StatusError> {
  const code = codeOfStatus(answer.statusCode ?? 0);
  let text = '';
  try {
    for await (const chunk of answer) {
      text += String(chunk);
      if (text.length > mostWords) break;
    }
    return new StatusError(code, plainLine(refused.parse(JSON.parse(text)).message));
  } catch {
    return new StatusError(code, `the gateway of the provider answered ${answer.statusCode}`);
  } finally {
    answer.destroy();
  }
}
