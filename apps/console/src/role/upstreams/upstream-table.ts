/**
 * The servers that the console asks, as a table. A row says which paths of the console are answered by it and at which paths of its own, and where it says
 * who a caller is. A new service is a row here and two settings.
 */
import { StatusError } from '@quartermaster/kernel';
import { runningRoles } from '../../console-session.ts';

export interface UpstreamRow {
  /** Begins its settings: `console-inventory-url`. */
  readonly name: 'fulfillment' | 'inventory' | 'cluster' | 'market';
  /** For messages. */
  readonly title: string;
  /** The role of this process that serves it under `up`. */
  readonly role: string;
  /** Path of the console -> path of the upstream. One that ends in a slash stands for all below it. */
  readonly paths: Readonly<Record<string, string>>;
  /** Where it says who the caller is: `{ name, role, … }`. */
  readonly session: string;
  /** Whether it is for those who run the installation alone, whatever it would answer others. */
  readonly isForStaff?: boolean | undefined;
  /** Those of its roles that run the installation: by its word they see what it is made of. */
  readonly staffRoles: readonly string[];
  /** Whom, by its word alone, the console shows pods and Events to. */
  readonly clusterRoles: readonly string[];
  /** Whom it shows the logs of pods to. */
  readonly logRoles: readonly string[];
}

const same = (...paths: readonly string[]): Record<string, string> => Object.fromEntries(paths.map((path) => [path, path]));

/** Callers are asked about in this order: the first that knows a token says whose it is. */
export const upstreamTable = [
  {
    name: 'fulfillment',
    title: 'fulfillment service',
    role: 'service-fulfillment',
    paths: same('/api/fulfillment/', '/api/private/', '/api/events/', '/api/quartermaster/', '/openapi.json'),
    session: '/api/quartermaster/v1/session',
    staffRoles: runningRoles,
    clusterRoles: ['admin', 'provider'],
    logRoles: ['admin', 'provider'],
  },
  {
    name: 'inventory',
    title: 'inventory',
    role: 'operator-inventory',
    paths: { '/api/inventory/v1/': '/v1/' },
    session: '/v1/session',
    isForStaff: true,
    staffRoles: runningRoles,
    // Who may read the inventory may not therefore see all pods, and who may change what it keeps may not read what pods print.
    clusterRoles: ['admin'],
    logRoles: [],
  },
  {
    name: 'cluster',
    title: 'cluster service',
    role: 'service-cluster',
    paths: { '/api/cluster/v1/': '/v1/' },
    session: '/v1/session',
    isForStaff: true,
    staffRoles: runningRoles,
    // Who may promise parts of the cluster may not therefore see what runs there.
    clusterRoles: [],
    logRoles: [],
  },
  {
    name: 'market',
    title: 'market',
    role: 'service-market',
    paths: {
      '/api/market/v1/session': '/api/quartermaster/v1/session',
      '/api/market/v1/openapi.json': '/openapi.json',
      ...same('/api/market/'),
    },
    session: '/api/quartermaster/v1/session',
    // A provider there is whoever bids, of this installation or of another.
    staffRoles: [],
    clusterRoles: [],
    logRoles: [],
  },
] as const satisfies readonly UpstreamRow[];

/** For whoever has to name one of them. */
export const upstreamSettings = upstreamTable.map(({ name }) => `console-${name}-url`).join(', ');

/** Where an upstream answers a path of the console, with its query. Throws `invalid_argument` for a path that would lead out of what is passed on. */
export function upstreamPath([from, to]: readonly [string, string], url: string): string {
  const asked = new URL(url, 'http://console');
  const path = `${to}${asked.pathname.slice(from.length)}`;
  // Dots are resolved by now: a path that climbed out no longer begins as it must.
  if (asked.pathname.startsWith(from) && new URL(path, 'http://upstream').pathname.startsWith(to)) return `${path}${asked.search}`;
  throw new StatusError('invalid_argument', `the path must stay below ${from}`);
}
