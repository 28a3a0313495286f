import { isIPv6 } from 'node:net';
import { StatusError } from '@quartermaster/kernel';
import { isLoopback } from '@quartermaster/rpc';

export interface ServerAddress {
  /** `host:port` */
  readonly address: string;
  readonly isPlainText: boolean;
}

const forms = 'HOST, HOST:PORT, https://HOST:PORT or http://HOST:PORT';
const schemePorts: Readonly<Record<string, number>> = { http: 80, https: 443 };

/**
 * `https://HOST[:PORT]` is TLS and `http://HOST[:PORT]` plain text, on the port of the scheme unless given; `HOST[:PORT]` is TLS unless it is this
 * machine, on the port where such a server listens by default. `origin` is who said it, for the complaint.
 */
export function parseServerAddress(text: string, origin: string, defaultPort: number): ServerAddress {
  // What is before an @ may be a password.
  const shown = text.replace(/[^/]*@/, '…@');
  const refused = (rule: string): StatusError => new StatusError('invalid_argument', `${origin} "${shown}" must ${rule}`);
  const [, scheme = '', rest = ''] = /^(?:([a-z][a-z\d+.-]*):\/\/)?(.*)$/is.exec(text) ?? [];
  const kind = scheme.toLowerCase();
  if (kind !== '' && schemePorts[kind] === undefined) throw refused('begin with https:// or http://, or with the host');
  const place = rest.replace(/\/$/, '');
  if (/[/?#@]/.test(place)) throw refused(`have no user, path or query: ${forms}`);
  if (isIPv6(place)) throw refused(`have its IPv6 address in brackets: [${place}] or [${place}]:PORT`);
  const [, host, digits] = /^(\[[^\s[\]]+\]|[^\s:[\]]+)(?::(\d+))?$/.exec(place) ?? [];
  const isHost = host !== undefined && (!host.startsWith('[') || isIPv6(host.slice(1, -1)));
  if (!isHost) throw refused(`be ${forms}, such as 127.0.0.1:${defaultPort}`);
  const port = digits === undefined ? (schemePorts[kind] ?? defaultPort) : Number(digits);
  if (port < 1 || port > 65_535) throw refused('have a port from 1 to 65535');
  return { address: `${host}:${port}`, isPlainText: kind === 'http' || (kind === '' && isLoopback(host)) };
}
