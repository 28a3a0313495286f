/**
 * A role as data: its name, its settings and what it needs of the host. The host opens what is declared, the same way for every role, and hands it to the
 * body, which is loaded only when the role starts.
 */
import {
  type ConfigDefinition,
  type ConfigRule,
  type ConfigValues,
  defineConfig,
  defineRole,
  joinConfigs,
  type Role,
} from '@quartermaster/service';
import * as z from 'zod';
import type { RoleHost } from '../host/role-host.ts';
import { busSettings } from './bus-settings.ts';
import { databaseSettings } from './database-settings.ts';
import { kubernetesSettings } from './kubernetes-settings.ts';
import { type ServerPorts, serverSettings } from './server-settings.ts';

type Shape = Readonly<Record<string, z.core.$ZodType>>;
/** The values of settings that are declared so. */
export type SettingsOf<S extends Shape> = z.output<z.ZodObject<S>>;

export interface RoleDeclaration<S extends Shape = Shape> extends Pick<Role, 'name' | 'summary' | 'deployment'> {
  /** Begins the names of its settings and metrics: `inventory`. */
  readonly prefix: string;
  /** Its own settings, besides those of the parts below. */
  readonly settings: S;
  readonly rules?: readonly ConfigRule<SettingsOf<S>>[] | undefined;
  /** It works on a cluster. */
  readonly kubernetes?: true | undefined;
  /** It publishes or listens. */
  readonly bus?: true | undefined;
  /** It keeps data in PostgreSQL. */
  readonly database?: true | undefined;
  /** It serves gRPC and REST. */
  readonly servers?: ServerPorts | undefined;
  /** One replica leads: the name of the Lease. */
  readonly lease?: string | undefined;
  /** How `quartermaster up` runs it: without a cluster, on the cluster once that answers, or not at all. */
  readonly up?: 'alone' | 'on-cluster' | undefined;
  /** Loads what it is made of. */
  readonly load: () => Promise<StartRole<SettingsOf<S>>>;
}

/** Starts the work of a role on what the host brings. What it leaves with `host.keep` is stopped in reverse, also when this throws. */
export type StartRole<C extends ConfigValues> = (host: RoleHost<C>) => Promise<RoleBody> | RoleBody;

export interface RoleBody {
  /** Resolves when the role is of use. At once unless given. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Facts for people, besides those of the host's parts. */
  status?(): object;
}

/** A role that the executable can run, with what it says of itself. */
export interface DeclaredRole extends Role {
  readonly declaration: Omit<RoleDeclaration, 'load' | 'rules'>;
  /** Flags of its ports: with 0 for each, several installations run on one machine. */
  readonly portFlags: readonly string[];
}

const restart = { firstMs: 1_000, maxMs: 60_000, factor: 2 };

/** Makes a role of a declaration. */
export function declareRole<const S extends Shape>(
  declaration: RoleDeclaration<S>,
): DeclaredRole & { readonly own: ConfigDefinition<SettingsOf<S>> } {
  const { name, prefix, summary, settings, rules = [], kubernetes, bus, database, servers, lease } = declaration;
  const own = defineConfig(settings, { rules });
  const ofServers = servers === undefined ? undefined : serverSettings(prefix, servers);
  const parts: (ConfigDefinition | undefined)[] = [
    ofServers?.definition,
    database && databaseSettings(prefix).definition,
    kubernetes && kubernetesSettings,
    lease === undefined ? undefined : namespaceSettings(prefix),
    bus && busSettings,
  ];
  const config = joinConfigs([own, ...parts.filter((part) => part !== undefined)]);
  const role = defineRole({
    name,
    summary,
    config,
    restart,
    deployment: declaration.deployment,
    start: async (context) => {
      const [{ startHosted }, start] = await Promise.all([import('../host/start-hosted.ts'), declaration.load()]);
      return await startHosted({ declaration, own, start }, context);
    },
  });
  return { ...role, own, declaration, portFlags: ofServers?.portFlags ?? [] };
}

function namespaceSettings(prefix: string): ConfigDefinition {
  return defineConfig({
    [`${prefix}-namespace`]: z.string().min(1).default('quartermaster').describe("Namespace of the role's own objects, such as its Lease."),
  });
}
