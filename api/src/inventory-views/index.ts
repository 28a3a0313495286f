export { type ClusterSummary, type GpuModel, type StateCount, summariseCluster } from './cluster-summary.ts';
export type {
  AmountTuple,
  AmountView,
  CapacityLine,
  CapacityView,
  DivisionTuple,
  GpuView,
  LeftOutView,
  Need,
  NodeDetail,
  NodeSale,
  PodUsage,
  ReasonView,
  SilentSource,
  StorageCard,
  TrendSample,
  Withheld,
} from './inventory-shapes.ts';
export {
  type CapacityHead,
  capacityTopic,
  type NodeHead,
  needsTopic,
  nodeTopic,
  podKey,
  type SummaryHead,
  storageTopic,
  summaryTopic,
  trendTopic,
} from './inventory-topics.ts';
export type { NodeRow } from './node-row.ts';
export { type NodesHead, type NodesParams, nodesTopic } from './nodes-topic.ts';
export type { SearchAnswer, SearchHit } from './search-hit.ts';
export { aliveIntervalMs, type StreamMessage } from './stream-message.ts';
export { type AnyState, splitAddress, type Topic, type TopicState, topicAddress } from './topic.ts';
export { type AnyPatch, applyTopicPatch, diffTopic, type FieldPatch, type TopicPatch } from './topic-patch.ts';
