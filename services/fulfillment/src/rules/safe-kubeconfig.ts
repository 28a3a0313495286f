import type { FieldViolation } from '@quartermaster/kernel';
import { isRedacted } from '@quartermaster/objects';
import { isNormalHost } from './addresses.ts';
import { readKubeconfigText } from './kubeconfig-text.ts';

const maxKubeconfigBytes = 262_144;

/** Whoever breaks more rules than that reads about the rest once these are kept. */
const mostTold = 8;

/** Controllers load the kubeconfig of a hub, and tenants that of their cluster, in their own process, with their own rights and files. So each entry may hold what is known to do no harm, and nothing else. */
interface Entries {
  /** Of the list at the top. */
  readonly list: string;
  /** Of each of its entries, beside `name`. */
  readonly entry: string;
  readonly harmless: ReadonlySet<string>;
}

const kinds: readonly Entries[] = [
  {
    list: 'clusters',
    entry: 'cluster',
    harmless: new Set([
      'server',
      'certificate-authority-data',
      'tls-server-name',
      'disable-compression',
      'insecure-skip-tls-verify',
      'extensions',
    ]),
  },
  {
    list: 'users',
    entry: 'user',
    harmless: new Set([
      ...['client-certificate-data', 'client-key-data', 'token', 'username', 'password'],
      ...['as', 'as-uid', 'as-groups', 'as-user-extra', 'extensions'],
    ]),
  },
  { list: 'contexts', entry: 'context', harmless: new Set(['cluster', 'user', 'namespace', 'extensions']) },
];
const top: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'preferences',
  'current-context',
  'extensions',
  ...kinds.map(({ list }) => list),
]);

// key -> why it is refused, and what to write instead
const harmful: ReadonlyMap<string, string> = new Map([
  ['exec', 'runs a program; use a token or a client certificate'],
  ['auth-provider', 'runs code of the controller with settings of its own; use a token or a client certificate'],
  ['tokenFile', 'names a file; put its content into "token"'],
  ['certificate-authority', 'names a file; put its content into "certificate-authority-data"'],
  ['client-certificate', 'names a file; put its content into "client-certificate-data"'],
  ['client-key', 'names a file; put its content into "client-key-data"'],
  ['proxy-url', 'sends credentials through a proxy; use a server that can be reached without one'],
]);

/** What keeps a kubeconfig from being stored or handed out. Repeats nothing of its content but the names of keys that are known. */
export function safeKubeconfigViolations(field: string, bytes: Uint8Array): FieldViolation[] {
  if (bytes.length === 0 || isRedacted(bytes)) return [];
  return rulesBrokenBy(bytes)
    .slice(0, mostTold)
    .map((description) => ({ field, description }));
}

function rulesBrokenBy(bytes: Uint8Array): string[] {
  if (bytes.length > maxKubeconfigBytes) return [`must not be larger than ${maxKubeconfigBytes} bytes, and has ${bytes.length}`];
  const text = readKubeconfigText(bytes);
  if ('rule' in text) return [text.rule];
  const { config } = text;
  if (!isRecord(config) || config['kind'] !== 'Config') return ['must be a kubeconfig: YAML or JSON with "kind: Config"'];
  const current = config['current-context'];
  if (typeof current !== 'string' || !namesIn(config['contexts']).includes(current))
    return ['must be a kubeconfig whose "current-context" is one of its "contexts"'];
  if (namesIn(config['clusters']).length === 0) return ['must be a kubeconfig with at least one entry in "clusters"'];
  return [...unknownKeys(config, '', top), ...kinds.flatMap((kind) => entryRules(kind, config[kind.list]))];
}

/** The servers of all clusters of a kubeconfig that keeps the rules, each as scheme, host, port and path. */
export function kubeconfigServers(bytes: Uint8Array): readonly string[] {
  const text = readKubeconfigText(bytes);
  const clusters = 'config' in text && isRecord(text.config) ? text.config['clusters'] : [];
  if (!Array.isArray(clusters)) return [];
  return clusters.map((named: unknown) => {
    const cluster = isRecord(named) ? named['cluster'] : undefined;
    const server = isRecord(cluster) ? String(cluster['server']) : '';
    return URL.parse(server)?.href ?? server;
  });
}

function entryRules({ list, entry, harmless }: Entries, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [`"${list}" must be a list`];
  return value.flatMap((named: unknown, index) => {
    const place = `${list}.${index}`;
    if (!isRecord(named)) return [`"${place}" must have a name and "${entry}"`];
    const inner = named[entry];
    const outer = unknownKeys(named, `${place}.`, new Set(['name', entry]));
    if (inner === undefined || inner === null) return entry === 'cluster' ? [...outer, serverRule(place)] : outer;
    if (!isRecord(inner)) return [...outer, `"${place}.${entry}" must have fields`];
    return [...outer, ...unknownKeys(inner, `${place}.${entry}.`, harmless), ...(entry === 'cluster' ? clusterRules(inner, place) : [])];
  });
}

function clusterRules(cluster: Readonly<Record<string, unknown>>, place: string): string[] {
  const { server, 'insecure-skip-tls-verify': skips } = cluster;
  const isSafe = typeof server === 'string' && /^https:\/\/[^\s\\@]+$/i.test(server) && isNormalHost(server) && URL.canParse(server);
  return [
    ...(isSafe ? [] : [serverRule(place)]),
    // Any other value than false is true for one parser or another.
    ...(skips === undefined || skips === false
      ? []
      : [`"${place}.cluster.insecure-skip-tls-verify" must not be set: it takes any certificate; use "certificate-authority-data"`]),
  ];
}

const serverRule = (place: string): string =>
  `"${place}.cluster.server" must be a URL that begins with "https://", without a user, with its host in the normal form`;

function unknownKeys(value: Readonly<Record<string, unknown>>, prefix: string, known: ReadonlySet<string>): string[] {
  const unknown = Object.keys(value).filter((key) => !known.has(key));
  const rules = unknown.flatMap((key) => {
    const why = harmful.get(key);
    return why === undefined ? [] : [`must not have "${prefix}${key}": it ${why}`];
  });
  if (rules.length === unknown.length) return rules;
  const where = prefix === '' ? 'at its top' : `in "${prefix.slice(0, -1)}"`;
  return [...rules, `must not have other keys ${where} than ${[...known].join(', ')}; remove the rest`];
}

function namesIn(list: unknown): unknown[] {
  return Array.isArray(list) ? list.flatMap((entry: unknown) => (isRecord(entry) ? [entry['name']] : [])) : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
