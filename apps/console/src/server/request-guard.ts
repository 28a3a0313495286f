import { isIPv4 } from 'node:net';

/** What a request says about where it comes from. */
export interface RequestOrigin {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Why a request is refused, or undefined when it may pass. The console has no login of its own: it trusts who can reach the
 * loopback address. A foreign page in the same browser can reach it too, either under a name of its own that it points at
 * 127.0.0.1 (so the Host must be a loopback name) or across origins (so Origin and Sec-Fetch-Site must be our own).
 */
export function refusalOf({ host, origin, fetchSite }: RequestOrigin): string | undefined {
  if (host === undefined || !isLoopbackHost(hostNameOf(host))) {
    return `the Host header is ${host === undefined ? 'missing' : JSON.stringify(host)}: open the console as http://127.0.0.1 or http://localhost`;
  }
  if (origin !== undefined && origin !== `http://${host}`) {
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
