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
} from './api.ts';
export { Cache, type CacheOptions, startCache } from './cache.ts';
export type { CacheCounters, CacheEntry, CacheListener, CacheStatus, ReadableCache } from './cache-api.ts';
export { KubeClient, type Scale } from './client.ts';
export { type CredentialOptions, type KubeCredentials, loadCredentials, type Session } from './credentials.ts';
export { type DiscoveredResource, discover, discoverKind, type ServerVersion, serverVersion } from './discovery.ts';
export { type FailureCause, failureOf, isFailure, type KubeFailure, type KubeFailureKind, retryAfterMsOf } from './failure.ts';
export { FencedWriter } from './fenced-writer.ts';
export type { FieldSelection, Selected } from './field-selection.ts';
export { kinds } from './generated/kinds.ts';
export { type ElectionStatus, LeaderElection, type LeaderElectionOptions, type Leadership } from './leader-election.ts';
export { type IndexFunction, ObjectStore } from './object-store.ts';
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
} from './objects.ts';
export {
  type CountedCondition,
  type CountedContainer,
  type CountedContainerStatus,
  type CountedPod,
  countedPodFields,
  countsOnNode,
  type PodRequests,
  podRequests,
  type RequestedResources,
  type ResourceAmounts,
} from './pod-requests.ts';
export {
  type ExecOptions,
  type ExecResult,
  type LogOptions,
  type ProxyOptions,
  podExec,
  podLog,
  podPortForward,
  proxyText,
} from './pod-streams.ts';
export { type StaticCredentialOptions, staticCredentials } from './static-credentials.ts';
export { type ReviewToken, type TokenOwner, type TokenReviewOptions, tokenReviewer } from './token-review.ts';
export { type KubeRequest, KubeTransport, type OpenAnswer, type TransportOptions } from './transport.ts';
