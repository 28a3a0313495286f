import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf, StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import { hasCode } from '../files/file-problem.ts';
import { writeWhole } from '../files/write-whole.ts';
import type { LoginServer } from './servers.ts';

const oidcSchema = z.object({
  issuer: z.string(),
  clientId: z.string(),
  /** Sent with every request to the issuer: `scope`, `resource`, `audience`. */
  parameters: z.record(z.string(), z.string()),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number().optional(),
});

const contextSchema = z.object({
  /** What it is a login to; a fulfillment service unless said otherwise. */
  server: z.enum(['fulfillment', 'market']).optional(),
  /** `host:port` */
  address: z.string(),
  isPlainText: z.boolean(),
  caFile: z.string().optional(),
  certFile: z.string().optional(),
  keyFile: z.string().optional(),
  tlsServerName: z.string().optional(),
  insecureSkipTlsVerify: z.boolean().optional(),
  /** Which API is used, where it is not what the caller may do that decides. */
  api: z.enum(['public', 'private']).optional(),
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  oidc: oidcSchema.optional(),
});

const fileSchema = z.object({
  current: z.string().optional(),
  /** As `current`, of the logins to markets. */
  currentMarket: z.string().optional(),
  contexts: z.record(z.string(), contextSchema),
});

export type OidcLogin = z.infer<typeof oidcSchema>;
/** A saved login: where, and as whom. Holds secrets. */
export type Context = z.infer<typeof contextSchema>;

interface Contexts {
  readonly current?: string | undefined;
  readonly currentMarket?: string | undefined;
  readonly contexts: Readonly<Record<string, Context>>;
}

export const serverOf = ({ server = 'fulfillment' }: Pick<Context, 'server'>): LoginServer => server;

// server -> the field with its current login
const currentFields = { fulfillment: 'current', market: 'currentMarket' } as const;

/** The login that is used where nobody names one. */
export const currentLogin = (contexts: Contexts, server: LoginServer): string | undefined => contexts[currentFields[server]];

/** The place that the XDG rules give to the settings of a program. */
export function contextsPath(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.config') : base, 'quartermaster', 'contexts.json');
}

/** Logins that commands remember, in a file that only its user can read. Each change is whole or not at all. */
export class ContextsFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  read(): Contexts {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (thrown) {
      if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return { contexts: {} };
      throw new StatusError('failed_precondition', `the saved logins in ${this.path} cannot be read: ${messageOf(thrown)}`);
    }
    try {
      return fileSchema.parse(JSON.parse(text));
    } catch {
      // What went wrong could quote a token.
      throw new StatusError('failed_precondition', `${this.path} is not a file of saved logins: remove it and log in again`);
    }
  }

  /** Saves the login and makes it the current one. */
  save(name: string, context: Context): void {
    const { contexts, ...currents } = this.read();
    this.#write({ ...without(currents, name), [currentFields[serverOf(context)]]: name, contexts: { ...contexts, [name]: context } });
  }

  /** Renews what a login holds, unless it was removed meanwhile. */
  renew(name: string, oidc: OidcLogin): void {
    const { contexts, ...currents } = this.read();
    const known = contexts[name];
    if (known !== undefined) this.#write({ ...currents, contexts: { ...contexts, [name]: { ...known, oidc } } });
  }

  use(name: string): void {
    const { contexts, ...currents } = this.read();
    this.#write({ ...currents, [currentFields[serverOf(contexts[name] ?? {})]]: name, contexts });
  }

  remove(name: string): void {
    const { contexts, ...currents } = this.read();
    const { [name]: _removed, ...rest } = contexts;
    this.#write({ ...without(currents, name), contexts: rest });
  }

  #write(contexts: Contexts): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      writeWhole(this.path, `${JSON.stringify(contexts, undefined, 2)}\n`);
    } catch (thrown) {
      throw new StatusError('failed_precondition', `the login cannot be saved in ${this.path}: ${messageOf(thrown)}`);
    }
  }
}

/** A login that is removed, or saved anew, perhaps for another server, is current nowhere. */
const without = (currents: Omit<Contexts, 'contexts'>, name: string): Omit<Contexts, 'contexts'> =>
  Object.fromEntries(Object.entries(currents).filter(([, current]) => current !== name));
