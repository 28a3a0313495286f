import type { GatewayRoute } from './gateway-route.ts';

export interface PublicRoutesOptions {
  readonly version: string;
  /** Of the cluster, as its API server says. */
  readonly kubernetes: (signal: AbortSignal) => Promise<object>;
  /** This provider, as the market knows it. */
  readonly account: (signal: AbortSignal) => Promise<string>;
  readonly status: () => object;
}

/** What anybody may ask: before a tenant orders, it looks at who sells. */
export const publicRoutes = ({ version, kubernetes, account, status }: PublicRoutesOptions): readonly GatewayRoute[] => [
  {
    kind: 'public',
    method: 'GET',
    path: '/version',
    answer: async ({ signal }) => ({ json: { akash: { name: 'quartermaster', version }, kube: await kubernetes(signal) } }),
  },
  { kind: 'public', method: 'GET', path: '/address', answer: async ({ signal }) => ({ json: { address: await account(signal) } }) },
  { kind: 'public', method: 'GET', path: '/status', answer: async () => ({ json: status() }) },
];
