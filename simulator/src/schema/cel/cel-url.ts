import type { Environment } from '@marcbachmann/cel-js';

const parts = /^(?:([a-z][a-z0-9+.-]*):)?(?<rest>.*?)(?:\?(.*))?$/is;
const authority = /^(?:([^@]*)@)?(\[[0-9a-f:.%]+\]|[^\s:[\]<>"\\^`{|}]*)(?::(\d*))?$/i;

/** An absolute URI or an absolute path, as Go parses the one of a request. WHATWG's parser mends what Go refuses. */
class CelUrl {
  readonly scheme: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string) {
    const [, scheme = '', rest = '', query = ''] = parts.exec(text) ?? [];
    const hasHost = scheme !== '' && rest.startsWith('//');
    const [host = '', ...folders] = hasHost ? rest.slice(2).split('/') : ['', ...rest.split('/').slice(1)];
    const named = authority.exec(host);
    const isRooted = rest.startsWith('/') || (scheme !== '' && rest !== '');
    if (!isRooted || named === null || hasControl(text) || /%(?![0-9a-f]{2})/i.test(rest))
      throw new Error(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`);
    this.scheme = scheme.toLowerCase();
    this.hostname = (named[2] ?? '').replace(/^\[(.*)\]$/, '$1');
    this.port = named[3] ?? '';
    this.path = rest.startsWith('/') && (folders.length > 0 || !hasHost) ? `/${folders.join('/')}` : '';
    this.query = query;
  }

  get host(): string {
    const name = this.hostname.includes(':') ? `[${this.hostname}]` : this.hostname;
    return this.port === '' ? name : `${name}:${this.port}`;
  }

  queries(): Record<string, string[]> {
    const values = new URLSearchParams(this.query);
    return Object.fromEntries([...new Set(values.keys())].map((name) => [name, values.getAll(name)]));
  }
}

const hasControl = (text: string): boolean => Array.from(text).some((character) => character < ' ' || character === '\u007f');

const isUrl = (text: string): boolean => {
  try {
    return new CelUrl(text) instanceof CelUrl;
  } catch {
    return false;
  }
};

/** `url`, `isURL` and their members. */
export function addUrls(environment: Environment): Environment {
  return environment
    .registerType('kubernetes.URL', { ctor: CelUrl, fields: {} })
    .registerFunction('url(string): kubernetes.URL', (text: string) => new CelUrl(text))
    .registerFunction('isURL(string): bool', isUrl)
    .registerFunction('kubernetes.URL.getScheme(): string', ({ scheme }: CelUrl) => scheme)
    .registerFunction('kubernetes.URL.getHost(): string', ({ host }: CelUrl) => host)
    .registerFunction('kubernetes.URL.getHostname(): string', ({ hostname }: CelUrl) => hostname)
    .registerFunction('kubernetes.URL.getPort(): string', ({ port }: CelUrl) => port)
    .registerFunction('kubernetes.URL.getEscapedPath(): string', ({ path }: CelUrl) =>
      path.replaceAll(/[^\w\-.~!$&'()*+,;=:@/%[\]]/gu, encodeURIComponent),
    )
    .registerFunction('kubernetes.URL.getQuery(): map<string, list<string>>', (url: CelUrl) => url.queries());
}
