export {
  type Condition,
  type ConditionStatus,
  conditionTime,
  type DesiredCondition,
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
} from './conditions.ts';
export { Controller, type ControllerOptions, type ControllerStatus, type ReconcileEvent } from './controller.ts';
export { type DryRunWrite, describeWrite } from './dry-run-write.ts';
export { DryRunWriter } from './dry-run-writer.ts';
export { type EventCounters, EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
export { ensureFinalizer, type FinalizerOptions, hasFinalizer, isDeleting, removeFinalizer } from './finalizers.ts';
export { diffJson, type FieldChange, formatPath, type PathStep } from './json-diff.ts';
export { jsonEqual } from './json-equal.ts';
export type { Notice, NoticeType } from './kube-event.ts';
export { controllerOf, isOwnedBy, type OwnerOptions, type OwnerReference, ownerReference, withOwner } from './owner-references.ts';
export type { RecentError } from './recent-errors.ts';
export { again, done, type Outcome, type Reconciler } from './reconciler.ts';
export { type Source, type SourceListener, sourceOf } from './source.ts';
export { type WithStatus, writeStatus } from './status-writer.ts';
export { defaultRetryBackoff, type QueueMetrics, type QueueObserver, WorkQueue, type WorkQueueOptions } from './work-queue.ts';
