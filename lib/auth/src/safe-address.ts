import { isLoopback } from '@quartermaster/kernel';

/** Whether keys may be trusted that come from this address: over TLS, or from this machine. */
export function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}
