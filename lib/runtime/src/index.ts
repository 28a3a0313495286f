/** What a role says of itself. Loads neither Kubernetes nor gRPC nor PostgreSQL: every command line wants names and settings. */
export { type BusConfig, busSettings } from './declaration/bus-settings.ts';
export { type DatabaseConfig, databaseSettings } from './declaration/database-settings.ts';
export { kubernetesSettings } from './declaration/kubernetes-settings.ts';
export {
  type DeclaredRole,
  declareRole,
  type RoleBody,
  type RoleDeclaration,
  type SettingsOf,
  type StartRole,
} from './declaration/role-declaration.ts';
export { type ServerConfig, type ServerPorts, serverSettings } from './declaration/server-settings.ts';
export {
  type ServedAddresses,
  ServedRoles,
  sharedBus,
  sharedKubernetes,
  sharedPostgresDirectory,
  sharedServed,
} from './declaration/shared-keys.ts';
