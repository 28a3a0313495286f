import { leaseRoutes } from '../src/gateway/serve/lease-routes.ts';
import { publicRoutes } from '../src/gateway/serve/public-routes.ts';
import { streamRoutes } from '../src/gateway/serve/stream-routes.ts';

/** What the gateway serves to tenants, as `GET /lease/{dseq}/status`. */
export function gatewayRoutes(): readonly string[] {
  // Nothing of it is asked: a route only keeps what it answers with.
  const nothing: never = {} as never;
  const all = [...publicRoutes(nothing), ...leaseRoutes(nothing), ...streamRoutes(nothing)];
  return all.map(({ method, path }) => `${method} ${path}`);
}
