import { StatusError } from '@quartermaster/kernel';
import { isLoopback } from '@quartermaster/rpc';
import { checkedAddress } from '../server/checked-address.ts';

export interface ApiAddress {
  /** `host:port` */
  readonly address: string;
  readonly isPlainText: boolean;
}

/**
 * `https://HOST[:PORT]` is TLS and `http://HOST[:PORT]` plain text; `HOST:PORT` is TLS unless it is this machine. `origin` is who said it, for
 * the complaint.
 */
export function parseApiAddress(text: string, origin: string): ApiAddress {
  const match = /^(https?):\/\/([^/?#@]+)\/?$/i.exec(text);
  if (match === null) {
    if (text === '' || text.includes('://')) {
      throw new StatusError('invalid_argument', `${origin} "${text}" must be HOST:PORT, https://HOST:PORT or http://HOST:PORT`);
    }
    const address = checkedAddress(text, origin) ?? '';
    return { address, isPlainText: isLoopback(address.replace(/:\d+$/, '')) };
  }
  const [, scheme = '', host = ''] = match;
  const isPlainText = scheme.toLowerCase() === 'http';
  const hasPort = /:\d+$/.test(host);
  return { address: checkedAddress(hasPort ? host : `${host}:${isPlainText ? 80 : 443}`, origin) ?? '', isPlainText };
}
