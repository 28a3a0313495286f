export { type DryRunWrite, describeWrite } from './dry-run/dry-run-write.ts';
export { DryRunWriter } from './dry-run/dry-run-writer.ts';
export { type EventCounters, EventRecorder, type EventRecorderOptions } from './events/event-recorder.ts';
export type { Notice, NoticeType } from './events/kube-event.ts';
export { diffJson, type FieldChange, formatPath, type PathStep } from './json/json-diff.ts';
export { jsonEqual } from './json/json-equal.ts';
export { Controller, type ControllerOptions, type ControllerStatus, type ReconcileEvent } from './loop/controller.ts';
export type { RecentError } from './loop/recent-errors.ts';
export { again, done, type Outcome, type Reconciler } from './loop/reconciler.ts';
export type { Source, SourceListener } from './loop/source.ts';
export { defaultRetryBackoff, type QueueMetrics, type QueueObserver, WorkQueue, type WorkQueueOptions } from './loop/work-queue.ts';
export { ownedSource, sourceOf } from './objects/cache-source.ts';
export {
  type Condition,
  type ConditionStatus,
  conditionTime,
  type DesiredCondition,
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
} from './objects/conditions.ts';
export { ensureFinalizer, type FinalizerOptions, hasFinalizer, isDeleting, removeFinalizer } from './objects/finalizers.ts';
export { controllerOf, isOwnedBy, type OwnerOptions, type OwnerReference, ownerReference, withOwner } from './objects/owner-references.ts';
export { type WithStatus, writeStatus } from './objects/status-writer.ts';
