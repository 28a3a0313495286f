import { readFile } from 'node:fs/promises';
import { type Clock, isLoopback, messageOf, StatusError, systemClock } from '@quartermaster/kernel';
import { openRpcChannel, type RpcChannel } from '@quartermaster/rpc';

export interface ConnectServerOptions {
  /** For messages: cluster-inventory. */
  readonly setting: string;
  /** Undefined while nobody serves. */
  readonly address: () => string | undefined;
  /** Without TLS, wherever it is; no token is shown there then. */
  readonly isPlainText?: boolean | undefined;
  readonly caFile?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** In place of the file. */
  readonly token?: (() => Promise<string> | string) | undefined;
  readonly clock?: Clock | undefined;
}

const calls = { tries: 1, deadlineMs: 10_000 } as const;
/** Others write such files anew, long before what was in them is refused. */
const tokenAgeMs = 1_000;

/** Connects to a server of the settings, or of this process. To be called for each new connection: addresses and authorities may change. */
export async function connectServer(options: ConnectServerOptions): Promise<RpcChannel> {
  const { setting, address, isPlainText = false, caFile, tokenFile, token, clock = systemClock } = options;
  const found = address();
  if (found === undefined) throw new StatusError('unavailable', `nobody serves yet where ${setting}-address is not given`);
  // Whoever listens on the way would have it.
  if (isPlainText) return openRpcChannel({ address: found, ...calls });
  const isPlain = caFile === undefined && isLoopback(found.replace(/:\d+$/, ''));
  const ca = caFile === undefined ? undefined : await textOf(`${setting}-ca-file`, caFile);
  const fromFile = tokenFile === undefined ? undefined : lately(clock, () => textOf(`${setting}-token-file`, tokenFile));
  return openRpcChannel({ address: found, tls: isPlain ? undefined : { ca }, token: token ?? fromFile, ...calls });
}

/** What was read within the last second: a file for each of a thousand calls would cost more than the calls. What could not be read is read again. */
function lately(clock: Clock, read: () => Promise<string>): () => Promise<string> {
  let last: { readonly at: number; readonly text: string } | undefined;
  return async () => {
    if (last === undefined || clock.monotonic() - last.at >= tokenAgeMs) last = { at: clock.monotonic(), text: (await read()).trim() };
    return last.text;
  };
}

/** It may be there a moment later: whoever connects tries again. */
async function textOf(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new StatusError('unavailable', `${setting} ${path} cannot be read: ${messageOf(thrown)}`);
  }
}
