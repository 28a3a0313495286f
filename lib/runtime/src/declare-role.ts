/**
 * A role as data: its name, its settings and what it needs of the host. The host opens what is declared, the same way for every role, and hands it to the
 * body, which is loaded only when the role starts.
 */
import { type ConfigDefinition, type ConfigRule, defineConfig, defineRole, joinConfigs, type Role } from '@quartermaster/service';
import * as z from 'zod';
import { busSettings } from './declaration/bus-settings.ts';
import { databaseSettings } from './declaration/database-settings.ts';
import { httpSettings } from './declaration/http-settings.ts';
import { kubernetesSettings } from './declaration/kubernetes-settings.ts';
import type { RoleNeeds } from './declaration/role-needs.ts';
import { serverSettings } from './declaration/server-settings.ts';
import type { StartRole } from './host/role-body.ts';

type Shape = Readonly<Record<string, z.core.$ZodType>>;
/** The values of settings that are declared so. */
export type SettingsOf<S extends Shape> = z.output<z.ZodObject<S>>;

export interface RoleDeclaration<S extends Shape = Shape> extends RoleNeeds {
  /** Its own settings, besides those of the parts that it needs. */
  readonly settings: S;
  readonly rules?: readonly ConfigRule<SettingsOf<S>>[] | undefined;
  /** Loads what it is made of. */
  readonly load: () => Promise<StartRole<SettingsOf<S>>>;
}

/** A role that the executable can run, with what it says of itself. */
export interface DeclaredRole extends Role {
  readonly declaration: RoleNeeds;
  /** Flags of its ports: with 0 for each, several installations run on one machine. */
  readonly portFlags: readonly string[];
}

const restart = { firstMs: 1_000, maxMs: 60_000, factor: 2 };

/** Makes a role of a declaration. */
export function declareRole<const S extends Shape>(
  declaration: RoleDeclaration<S>,
): DeclaredRole & { readonly own: ConfigDefinition<SettingsOf<S>> } {
  const { name, prefix, summary, settings, rules = [], kubernetes, bus, database, servers, otherPorts = [], lease } = declaration;
  const own = defineConfig(settings, { rules });
  const ofServers = servers === undefined ? undefined : 'http' in servers ? httpSettings(prefix, servers) : serverSettings(prefix, servers);
  const parts: (ConfigDefinition | undefined)[] = [
    ofServers?.definition,
    database && databaseSettings(prefix).definition,
    kubernetes && kubernetesSettings,
    typeof lease === 'string' ? namespaceSettings(prefix) : undefined,
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
      const [{ startHosted }, start] = await Promise.all([import('./host/start-hosted.ts'), declaration.load()]);
      return await startHosted({ declaration, own, start }, context);
    },
  });
  return { ...role, own, declaration, portFlags: [...(ofServers?.portFlags ?? []), ...otherPorts.map((key) => `--${key}`)] };
}

function namespaceSettings(prefix: string): ConfigDefinition {
  return defineConfig({
    [`${prefix}-namespace`]: z.string().min(1).default('quartermaster').describe("Namespace of the role's own objects, such as its Lease."),
  });
}
