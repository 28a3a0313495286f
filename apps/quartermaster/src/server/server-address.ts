import { StatusError } from '@quartermaster/kernel';
import { isLoopback } from '@quartermaster/rpc';

export interface ServerAddress {
  /** `host:port` */
  readonly address: string;
  readonly isPlainText: boolean;
}

/**
 * `https://HOST[:PORT]` is TLS and `http://HOST[:PORT]` plain text; `HOST:PORT` is TLS unless it is this machine. `origin` is who said it, for
 * the complaint.
 */
export function parseServerAddress(text: string, origin: string): ServerAddress {
  const [, scheme, named] = /^(https?):\/\/([^/?#@]+)\/?$/i.exec(text) ?? [];
  const refused = (form: string): StatusError => new StatusError('invalid_argument', `${origin} "${text}" must be ${form}`);
  if (scheme === undefined && (text === '' || text.includes('://'))) throw refused('HOST:PORT, https://HOST:PORT or http://HOST:PORT');
  const isHttp = scheme?.toLowerCase() === 'http';
  const address = named === undefined || /:\d+$/.test(named) ? (named ?? text) : `${named}:${isHttp ? 80 : 443}`;
  if (!/^(\[[\da-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/i.test(address)) throw refused('HOST:PORT, such as 127.0.0.1:8081');
  return { address, isPlainText: isHttp || (scheme === undefined && isLoopback(address.replace(/:\d+$/, ''))) };
}
