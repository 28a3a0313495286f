import type { Clock, Log } from '@quartermaster/kernel';
import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import { requireOwnOrigin } from '../../server/guard-requests.ts';
import type { Site } from '../../server/request-guard.ts';
import type { Upgrades } from '../../server/upgrades.ts';
import type { Upstream } from '../../server/upstream.ts';
import type { Asker, AskerOf } from '../session/asker.ts';
import { closeOf } from './close-of.ts';
import { leaseToken } from './lease-token.ts';
import { openGateway } from './open-gateway.ts';
import { relay } from './relay.ts';
import type { SessionStreams } from './session-streams.ts';
import { type StreamRequest, streamRequest } from './stream-request.ts';

export interface GatewayOptions {
  readonly market: Upstream;
  readonly upgrades: Upgrades;
  readonly streams: SessionStreams;
  readonly site: Site;
  readonly clock: Clock;
  readonly log: Log;
}

/** Logs, events and shells of leases for their tenants, from the gateways of the providers. */
export function addGatewayRoutes(routes: FastifyInstance, options: GatewayOptions, askerOf: AskerOf): void {
  routes.get('/api/gateway/leases/:lease/:kind', async (request, reply) => {
    requireOwnOrigin(request, options.site);
    const asked = streamRequest(request.params, request.query);
    const asker = askerOf(request, reply);
    await stream(options, asker, asked, await options.upgrades.accept(request, reply));
  });
}

/** From here on, whatever is in the way is told by closing. */
async function stream(
  { market, streams, clock, log }: GatewayOptions,
  asker: Asker,
  asked: StreamRequest,
  browser: WebSocket,
): Promise<void> {
  try {
    const held = streams.hold(asker.session.keyHash);
    const signal = AbortSignal.any([held.signal, asker.whileKnown()]);
    try {
      const access = await leaseToken(market, asker.session.token, asked, signal);
      const gateway = await openGateway(access, asked.path, log, signal);
      await relay({ browser, gateway, clock, signal });
    } catch (thrown) {
      signal.throwIfAborted();
      throw thrown;
    } finally {
      held.release();
    }
  } catch (thrown) {
    const { code, reason } = closeOf(thrown);
    browser.resume();
    browser.close(code, reason);
  }
}
