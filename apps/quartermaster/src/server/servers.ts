/** A kind of server that commands ask. One that is in the table is found, connected to and explained as all others are. */
export interface ServerKind {
  /** That serves it, as a running `up` names it. */
  readonly role: string;
  /** `no inventory answers at …`. */
  readonly what: string;
  /** `the service is …`: whom the flags are about. */
  readonly noun: string;
  /** Where it listens by default: the port of an address that names none. */
  readonly port: number;
  /** Names the server where no flag does. */
  readonly addressVariable: string;
  /** The token for it, where no flag names a file. */
  readonly tokenVariable?: string | undefined;
  /** Whether `quartermaster login` saves logins to it. */
  readonly hasLogins: boolean;
  /** Whether it has an API for providers beside that for tenants. */
  readonly hasTwoApis: boolean;
}

export const servers = {
  inventory: {
    role: 'operator-inventory',
    what: 'inventory',
    noun: 'an inventory operator',
    port: 8081,
    addressVariable: 'QUARTERMASTER_SERVER',
    hasLogins: false,
    hasTwoApis: false,
  },
  fulfillment: {
    role: 'service-fulfillment',
    what: 'fulfillment service',
    noun: 'a fulfillment service',
    port: 8000,
    addressVariable: 'QUARTERMASTER_API_SERVER',
    tokenVariable: 'QUARTERMASTER_API_TOKEN',
    hasLogins: true,
    hasTwoApis: true,
  },
  market: {
    role: 'service-market',
    what: 'market',
    noun: 'a market',
    port: 8020,
    addressVariable: 'QUARTERMASTER_MARKET_SERVER',
    tokenVariable: 'QUARTERMASTER_MARKET_TOKEN',
    hasLogins: true,
    hasTwoApis: false,
  },
  cluster: {
    role: 'service-cluster',
    what: 'cluster service',
    noun: 'a cluster service',
    port: 8083,
    addressVariable: 'QUARTERMASTER_CLUSTER_SERVER',
    hasLogins: false,
    hasTwoApis: false,
  },
} as const satisfies Readonly<Record<string, ServerKind>>;

export type ServerName = keyof typeof servers;

/** Those that `quartermaster login` saves logins to. */
export type LoginServer = 'fulfillment' | 'market';

export const serverNamed = (name: ServerName): ServerKind => servers[name];

/** What one types to log in to it. */
export const loginCommand = ({ role }: Pick<ServerKind, 'role'>): string =>
  `quartermaster login ADDRESS${role === servers.market.role ? ' --market' : ''}`;

/** Which saved login is meant, where no flag says so. */
export const contextVariable = 'QUARTERMASTER_CONTEXT';

/** Variables of commands that ask a server: no setting of a role, though their names begin like those. */
export const clientVariables: readonly string[] = [
  contextVariable,
  ...Object.keys(servers).flatMap((name) => {
    const { addressVariable, tokenVariable } = serverNamed(name as ServerName);
    return tokenVariable === undefined ? [addressVariable] : [addressVariable, tokenVariable];
  }),
];
