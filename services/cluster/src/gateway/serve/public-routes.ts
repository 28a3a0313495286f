import { codeOf, StatusError } from '@quartermaster/kernel';
import type { GatewayRoute } from './gateway-route.ts';

export interface PublicRoutesOptions {
  readonly version: string;
  /** Of the cluster, as its API server says. */
  readonly kubernetes: () => Promise<object>;
  /** This provider, as the market knows it. */
  readonly account: () => Promise<string>;
  readonly status: () => Promise<object>;
}

/** What anybody may ask: before a tenant orders, it looks at who sells. */
export const publicRoutes = ({ version, kubernetes, account, status }: PublicRoutesOptions): readonly GatewayRoute[] => [
  {
    kind: 'public',
    method: 'GET',
    path: '/version',
    answer: async () => ({ json: { akash: { name: 'quartermaster', version }, kube: await orLater(kubernetes) } }),
  },
  { kind: 'public', method: 'GET', path: '/address', answer: async () => ({ json: { address: await orLater(account) } }) },
  { kind: 'public', method: 'GET', path: '/status', answer: async () => ({ json: await orLater(status) }) },
];

/** Whom it asked, and where, is not for anybody to know. */
async function orLater<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (codeOf(cause) === 'internal') throw cause;
    throw new StatusError('unavailable', 'this cannot be told at the moment: try again', { cause });
  }
}
