import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type BidDecisionSchema, BidService, type GetBidStatusResponseSchema } from '@quartermaster/api/cluster';
import { ensureConsoleBuilt } from '@quartermaster/console';
import { consoleRole, sharedConsole } from '@quartermaster/console/roles';
import { StatusError, silentLog, systemClock } from '@quartermaster/kernel';
import { startTestMarket, type TestMarket } from '@quartermaster/market/testing';
import { serve } from '@quartermaster/rpc';
import { startRoleServers } from '@quartermaster/runtime/host';
import { startRole } from '@quartermaster/runtime/testing';
import { Health, healthy, Metrics, SharedParts } from '@quartermaster/service';
import { LoopbackProxy } from '../support/loopback-proxy.ts';
import { farm, ScriptedSource } from './scripted-source.ts';

/** The console over the real market, and over what a provider's own program says that it decided. */
export interface MarketConsole {
  readonly market: TestMarket;
  readonly url: string;
  /** What the program of the provider tells; nothing until it is set. */
  readonly told: {
    decisions: MessageInitShape<typeof BidDecisionSchema>[];
    status: MessageInitShape<typeof GetBidStatusResponseSchema>;
  };
  /** Whom the program of the provider takes for an administrator. */
  readonly staff: Set<string>; // tokens
  /** The market goes, or is back; the console stays. */
  setReachable(isReachable: boolean): void;
  stop(): Promise<void>;
}

export async function startMarketConsole(): Promise<MarketConsole> {
  await ensureConsoleBuilt({ log: silentLog });
  const market = await startTestMarket();
  const way = await LoopbackProxy.start(market.restUrl);
  const told: MarketConsole['told'] = { decisions: [], status: { configured: true } };
  const staff = new Set<string>();
  const program = await serveProgram(told, staff);
  const folder = await mkdtemp(join(tmpdir(), 'market-console-'));
  const keyRing = join(folder, 'keys');
  await writeFile(keyRing, `test:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  let url = '';
  const source = new ScriptedSource(farm({ nodeCount: 3 }));
  const shared = new SharedParts();
  shared.provide(sharedConsole, {
    installation: () => source.current(),
    served: (served) => {
      url = served;
    },
  });
  const role = await startRole(consoleRole, {
    shared,
    args: [
      '--console-port=0',
      `--console-market-url=${way.url.replace('https:', 'http:')}`,
      `--console-cluster-url=${program.url}`,
      `--console-key-ring-file=${keyRing}`,
    ],
  });
  return {
    market,
    url,
    told,
    staff,
    setReachable: (isReachable) => {
      way.mode = isReachable ? 'forward' : 'refuse';
      if (!isReachable) way.cut();
    },
    stop: async () => {
      await role.stop();
      await program.stop();
      await way.stop();
      await market.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function serveProgram(told: MarketConsole['told'], staff: ReadonlySet<string>) {
  const health = new Health();
  health.register('decisions', 'ready', () => healthy);
  const ends: (() => unknown)[] = [];
  const host = {
    prefix: 'cluster',
    health,
    metrics: new Metrics({ process: false }),
    keep: (_name: string, stop: () => unknown) => void ends.push(stop),
    clock: systemClock,
    log: silentLog,
  };
  const files = { certFile: undefined, keyFile: undefined, clientCaFile: undefined };
  const config = { host: '127.0.0.1', grpcPort: 0, restPort: 0, certificatePort: undefined, ...files };
  const { rest } = await startRoleServers(host, config, health, {
    services: [
      serve(BidService, {
        listBidDecisions: () => ({ decisions: told.decisions }),
        getBidStatus: () => told.status,
        getBidDecision: ({ order }) => {
          const decision = told.decisions.find((each) => each.order?.dseq === order?.dseq && each.order?.gseq === order?.gseq);
          if (decision === undefined) throw new StatusError('not_found', 'nothing is known of a bid for the order');
          return { decision };
        },
      }),
    ],
    routes: [
      {
        path: '/v1/session',
        answer: (_request, context) => {
          const token = context?.header('authorization')?.replace('Bearer ', '') ?? '';
          if (!staff.has(token)) throw new StatusError('unauthenticated', 'the token is nobody’s');
          return { json: { name: 'admin', role: 'admin' } };
        },
      },
    ],
    callers: () => ({ kind: 'token', name: 'somebody', groups: [] }),
    isServing: () => true,
  });
  return { url: rest, stop: async () => void (await Promise.all(ends.map((end) => end()))) };
}
