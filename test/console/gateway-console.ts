import { ensureConsoleBuilt } from '@quartermaster/console';
import { consoleRole } from '@quartermaster/console/roles';
import { type Clock, silentLog, systemClock } from '@quartermaster/kernel';
import { type RunningRole, startRole } from '@quartermaster/runtime/testing';
import { WebSocket } from 'ws';
import { ConsoleBrowser } from './console-browser.ts';
import { ScriptedGateway } from './scripted-gateway.ts';
import { ScriptedMarket } from './scripted-market.ts';

/** The console in front of a market and the gateway of a provider. */
export interface GatewayConsole {
  readonly url: string;
  readonly market: ScriptedMarket;
  readonly gateway: ScriptedGateway;
  readonly role: RunningRole;
  stop(): Promise<void>;
}

export async function startGatewayConsole({
  args = [],
  clock = systemClock,
}: {
  readonly args?: readonly string[];
  readonly clock?: Clock;
} = {}): Promise<GatewayConsole> {
  await ensureConsoleBuilt({ log: silentLog });
  const market = new ScriptedMarket();
  const gateway = await ScriptedGateway.start();
  market.gateway = { uri: gateway.uri, grpc_address: '', certificate_authority: gateway.certificate };
  const role = await startRole(consoleRole, { clock, args: ['--console-port=0', `--console-market-url=${await market.start()}`, ...args] });
  const detail = role.status()?.detail as { readonly http: string } | undefined;
  const url = detail?.http ?? '';
  return {
    ...{ url, market, gateway, role },
    stop: async () => {
      await role.stop();
      await gateway.stop();
      await market.stop();
    },
  };
}

/** A page that opened a stream, or asked for one. */
export interface PageStream {
  readonly socket: WebSocket;
  /** Text and binary frames as they came, without those that only say that the connection lives. */
  readonly heard: (string | Buffer)[];
  /** How it ended: a close, or the answer of HTTP. */
  readonly ended: Promise<{ readonly code: number; readonly reason: string } | { readonly status: number; readonly body: string }>;
}

/** Somebody who signed in, and how their pages open streams. */
export async function signedIn(console: Pick<GatewayConsole, 'url'>, token: string) {
  const browser = new ConsoleBrowser(undefined);
  await browser.send('POST', `${console.url}/api/session`, { body: { token } });
  const open = (path: string, change: { readonly origin?: string; readonly key?: string; readonly headers?: object } = {}): PageStream => {
    const key = change.key ?? browser.key ?? '';
    const socket = new WebSocket(
      `${console.url.replace('http', 'ws')}/api/gateway/leases/${path}`,
      ['quartermaster.stream.v1', `quartermaster.key.${key}`],
      {
        headers: { cookie: browser.cookieHeader, origin: change.origin ?? console.url, ...change.headers },
      },
    );
    const heard: (string | Buffer)[] = [];
    socket.on('message', (data: Buffer, isBinary) => {
      if (data.length > 0) heard.push(isBinary ? data : data.toString());
    });
    const ended = new Promise<Awaited<PageStream['ended']>>((resolve) => {
      socket.on('error', () => {});
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
      socket.once('unexpected-response', (_request, answer) => {
        void answer.toArray().then((chunks) => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      });
    });
    return { socket, heard, ended };
  };
  return { browser, open };
}
