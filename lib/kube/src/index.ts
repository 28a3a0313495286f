export { Cache, type CacheOpener, type CacheOptions, cacheOpener, startCache } from './cache/cache.ts';
export type { CacheEntry, CacheListener, CacheStatus, ReadableCache } from './cache/cache-api.ts';
export { isRead, type StaleCache } from './cache/staleness.ts';
export { accessReviewer, type ReviewAccess, type ReviewedRight } from './client/access-review.ts';
export type {
  ApplyOptions,
  DeleteOptions,
  JsonPatchOperation,
  KubeReader,
  KubeWriter,
  ListOptions,
  ObjectList,
  Patch,
  ReadOptions,
  RequestOptions,
  WriteOptions,
} from './client/api.ts';
export { KubeClient, type Scale } from './client/client.ts';
export { type DiscoveredResource, discover, discoverKind, serverVersion } from './client/discovery.ts';
export { pathReviewer, type ReviewPath } from './client/path-review.ts';
export { recentAccess } from './client/recent-access.ts';
export { type ReviewToken, type TokenOwner, tokenReviewer } from './client/token-review.ts';
export { FencedWriter } from './election/fenced-writer.ts';
export { LeaderElection, type LeaderElectionOptions } from './election/leader-election.ts';
export type { ElectionStatus, Leadership } from './election/leadership.ts';
export { kinds } from './generated/kinds.ts';
export type { FieldSelection, Selected } from './objects/field-selection.ts';
export {
  apiVersionOf,
  type KubeObject,
  keyText,
  type ObjectKeyText,
  type ObjectRef,
  parseKey,
  type ResourceType,
  refOf,
  resourceType,
} from './objects/objects.ts';
export { type ExecOutput, openExec, type PodExec, type PodExecOptions } from './pods/pod-exec.ts';
export {
  type CountedContainer,
  type CountedContainerStatus,
  type CountedPod,
  countedPodFields,
  countsOnNode,
  type PodRequests,
  podRequests,
  type ResourceAmounts,
} from './pods/pod-requests.ts';
export {
  type ExecOptions,
  type ExecResult,
  type LogOptions,
  type ProxyOptions,
  podExec,
  podLog,
  podPortForward,
  proxyText,
} from './pods/pod-streams.ts';
export { ramBesideRequests, ramInRequestsAnnotation } from './pods/ram-volumes.ts';
export { type CredentialOptions, type Session } from './transport/credentials.ts';
export { type FailureCause, failureOf, isFailure, isNamespaceEnding, type KubeFailure, type KubeFailureKind } from './transport/failure.ts';
export { staticCredentials } from './transport/static-credentials.ts';
export { KubeTransport, type TransportOptions } from './transport/transport.ts';
