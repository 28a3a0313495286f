import { isIPv4 } from 'node:net';

/** What a request says about where it comes from. */
export interface RequestOrigin {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/** The names under which a console is opened. */
export interface Site {
  readonly scheme: 'http' | 'https';
  /** Whether a Host header, with its port, names this console. */
  isOwnHost(host: string): boolean;
  /** Whether pages of this origin, which reached it as this host, are the console's. */
  isOwnOrigin(origin: string, host: string): boolean;
  /** What to do when the Host is another. */
  readonly wayOut: string;
}

export interface SiteOptions {
  readonly scheme: 'http' | 'https';
  /** Names other than those of loopback, without ports. */
  readonly hosts?: readonly string[] | undefined;
  /** Where users open it, when a proxy before it has another name or port. */
  readonly publicUrl?: string | undefined;
}

/** A console that is opened by the names of loopback and by these. */
export function siteOf({ scheme, hosts = [], publicUrl }: SiteOptions): Site {
  const publicSite = publicUrl === undefined ? undefined : new URL(publicUrl);
  const known = new Set([...hosts, ...(publicSite === undefined ? [] : [publicSite.hostname])].map((name) => name.toLowerCase()));
  const places = [...(publicUrl === undefined ? [] : [publicUrl]), `${scheme}://127.0.0.1`, `${scheme}://localhost`];
  return {
    scheme,
    isOwnHost: (host) => isLoopbackHost(hostNameOf(host)) || known.has(hostNameOf(host)),
    isOwnOrigin: (origin, host) => origin === `${scheme}://${host}` || origin === publicSite?.origin,
    wayOut: `open the console as ${places.join(' or ')}`,
  };
}

export const loopbackSite = siteOf({ scheme: 'http' });

/**
 * Why a request is refused, or undefined when it may pass. A foreign page in the same browser can reach the console too, either under a name of its
 * own that it points at the console's address (so the Host must be one of ours) or across origins (so Origin and Sec-Fetch-Site must be our own).
 */
export function refusalOf({ host, origin, fetchSite }: RequestOrigin, site: Site = loopbackSite): string | undefined {
  if (host === undefined || !site.isOwnHost(host)) {
    return `the Host header is ${host === undefined ? 'missing' : JSON.stringify(host)}: ${site.wayOut}`;
  }
  if (origin !== undefined && !site.isOwnOrigin(origin, host)) {
    return `the request comes from ${JSON.stringify(origin)}: only the console's own pages may ask`;
  }
  if (fetchSite === 'cross-site' || fetchSite === 'same-site') {
    return 'the request comes from another site: only the console\u2019s own pages may ask';
  }
  return undefined;
}

/** Whether a name or address can only mean this machine. */
export function isLoopbackHost(name: string): boolean {
  return name === 'localhost' || name === '::1' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));
}

const hostNameOf = (host: string): string => host.replace(/:\d+$/, '').toLowerCase();
