export { type AdminServer, type AdminServerOptions, closeServer, startAdminServer } from './admin-server.ts';
export { type ConfigKey, variablePrefix } from './config/config-key.ts';
export {
  type ConfigDefinition,
  type ConfigOf,
  type ConfigRule,
  type ConfigValues,
  defineConfig,
  joinConfigs,
} from './config/define-config.ts';
export { type ConfigReference, describeConfig } from './config/describe-config.ts';
export { type ConfigSources, configFileVariable, type LoadedConfig, type LoadOptions, loadConfig } from './config/load-config.ts';
export { nearest } from './config/nearest.ts';
export { type ConfigProblem, formatOrigin, formatProblem, type Origin } from './config/origin.ts';
export { byteSize, duration, formatDuration, parseDuration, quantity, secret } from './config/setting-types.ts';
export { type ConfigChange, type ConfigStatus, type LiveConfig, type WatchConfigOptions, watchConfig } from './config/watch-config.ts';
export type { Deployment } from './deployment.ts';
export { type ErrorFields, errorFields } from './error-fields.ts';
export { type FileSnapshot, FileWatch, type FileWatchOptions, systemFiles, type WatchedFiles } from './file-watch.ts';
export {
  type CheckReport,
  degraded,
  failed,
  Health,
  type HealthCheck,
  type HealthPurpose,
  type HealthRegistry,
  type HealthReport,
  type HealthScope,
  type HealthState,
  type HealthStatus,
  healthy,
} from './health.ts';
export { Lifecycle, type LifecycleOptions, type Part, type StopDeadline, type StopReason, type StopReport } from './lifecycle.ts';
export { type ListenAddress, listen } from './listen.ts';
export { createLogger, type Logger, type LoggerOptions, type LogLevel, logLevels } from './logger.ts';
export {
  type Collect,
  type CounterMetric,
  type GaugeMetric,
  type HistogramMetric,
  type HistogramOptions,
  type Labels,
  type MetricOptions,
  Metrics,
  type Sample,
} from './metrics.ts';
export { type AttachOptions, attachProcess, exitCodeOf, type ProcessHost } from './process-lifecycle.ts';
export { type Manifest, readDeployment, readManifests } from './read-manifests.ts';
export { redact } from './redact.ts';
export { defineRole, type Role, type RoleContext, type RoleHandle, type RoleStatus } from './role.ts';
export { type RunningRoles, type RunRolesOptions, runRoles } from './run-roles.ts';
export { hidden, Secret } from './secret.ts';
export { SharedKey, SharedParts } from './shared-parts.ts';
export { type SecureServer, type TlsCertificates, type TlsFiles, type TlsOptionsOfFiles, type TlsStatus, watchTls } from './tls.ts';
export {
  activeTrace,
  type IncomingHeaders,
  installTraceContext,
  outgoingTraceHeaders,
  type TraceIds,
  traceOf,
  withIncomingTrace,
} from './trace.ts';
