export { type AdminServer, closeServer, startAdminServer } from './admin-server.ts';
export { type AdmitCaller, credentialsOf, refusalOf } from './admit-caller.ts';
export {
  type ConfigDefinition,
  type ConfigOf,
  type ConfigRule,
  type ConfigValues,
  defineConfig,
  joinConfigs,
} from './config/define-config.ts';
export { describeConfig } from './config/describe-config.ts';
export { configFileVariable, type LoadOptions } from './config/load-config.ts';
export { type Origin } from './config/origin.ts';
export { hidden, Secret } from './config/secret.ts';
export { byteSize, duration, formatDuration, parseDuration, quantity, secret } from './config/setting-types.ts';
export { type LiveConfig, watchConfig } from './config/watch-config.ts';
export { type FileSnapshot, FileWatch, type FileWatchOptions, systemFiles } from './files/file-watch.ts';
export {
  degraded,
  failed,
  Health,
  type HealthPurpose,
  type HealthRegistry,
  type HealthState,
  type HealthStatus,
  healthy,
} from './health.ts';
export { Lifecycle, type Part, type StopReport } from './lifecycle.ts';
export { type ListenAddress, listen } from './listen.ts';
export { createLogger, type Logger, logLevels } from './logger.ts';
export { type Labels, Metrics, type Sample } from './metrics.ts';
export { probeAnswer } from './probe-answer.ts';
export { attachProcess, exitCodeOf, type ProcessHost } from './process-lifecycle.ts';
export { type Deployment, type Manifest, readDeployment, readManifests } from './read-manifests.ts';
export { defineRole, type Role, type RoleContext, type RoleHandle, type RoleStatus } from './role.ts';
export { runRoles } from './run-roles.ts';
export { selfSignedTls } from './self-signed-tls.ts';
export { SharedKey, SharedParts } from './shared-parts.ts';
export { type TlsCertificates, type TlsFiles, watchTls } from './tls.ts';
export { activeTrace, installTraceContext, outgoingTraceHeaders, traceOf, withIncomingTrace } from './trace/trace.ts';
