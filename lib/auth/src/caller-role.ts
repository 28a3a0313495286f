/** A right on all objects of a kind of the cluster, as RBAC has it. */
export interface ClusterRight {
  readonly verb: string;
  readonly group: string;
  readonly plural: string;
}

/** What a role makes of its holder. */
export interface CallerRole {
  /** The setting that lists the holders, without the prefix of the service: `admins`. Whoever is in none has the role without one. */
  readonly setting?: RoleSetting | undefined;
  /** `all`: every tenant that there is and will be. `own`: those that the caller belongs to, and what is shared with everybody. */
  readonly tenants: 'all' | 'own';
  /**
   * Where tenants are its own: namespaces whose service accounts belong to no tenant, a `*` at the end of one for whatever follows. For those in which others run what they like,
   * with a token that says no more than that they do.
   */
  readonly tenantlessNamespaces?: readonly string[] | undefined;
  /** Tenants that a holder may give objects to, where it sees all and may not give all. */
  readonly assignableTenants?: readonly string[] | undefined;
  /** Whether it may open the secrets of every object that it sees. Lists and events show them to nobody. */
  readonly mayReadSecrets?: boolean | undefined;
  /** Whether a Get shows it secrets without being asked to: for programs that cannot ask, since they are older than the question. */
  readonly readsSecretsUnasked?: boolean | undefined;
  /** Whether each holder speaks for one source; the setting then binds each of them to its source. */
  readonly hasSource?: boolean | undefined;
  /** Whichever service account has this right in its cluster holds the role, where the settings give it none. */
  readonly right?: ClusterRight | undefined;
  /** Roles of other services of the installation whose holders have this one here: a local token says only one. */
  readonly alsoFor?: readonly string[] | undefined;
}

export interface RoleSetting {
  readonly name: string;
  readonly description: string;
  readonly defaultHolders?: readonly string[] | undefined;
}

/**
 * The roles of a service, the highest first: a caller has the first one that the settings give it. The first is the one of administrators. A last one without a setting
 * is for everybody who belongs to a tenant; where the last has a setting, too, whoever is given none is nobody there.
 */
export type CallerRoles = Readonly<Record<string, CallerRole>>;

/** Undefined for a name that the service does not declare. */
export function roleNamed(roles: CallerRoles, name: string): CallerRole | undefined {
  return Object.hasOwn(roles, name) ? roles[name] : undefined;
}
