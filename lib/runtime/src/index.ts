/** What a role says of itself. Loads neither Kubernetes nor gRPC nor PostgreSQL: every command line wants names and settings. */
export { busSettings } from './declaration/bus-settings.ts';
export { databaseSettings } from './declaration/database-settings.ts';
export { type HttpConfig, type HttpPort, httpSettings } from './declaration/http-settings.ts';
export { kubernetesSettings } from './declaration/kubernetes-settings.ts';
export {
  type ServedAddresses,
  ServedRoles,
  sharedBus,
  sharedKubernetes,
  sharedPostgresDirectory,
  sharedServed,
} from './declaration/shared-keys.ts';
export { type DeclaredRole, declareRole, type RoleDeclaration, type SettingsOf } from './declare-role.ts';
export type { RoleBody, StartRole } from './host/role-body.ts';
