export { type DryRunWrite, describeWrite } from './dry-run/dry-run-write.ts';
export { DryRunWriter } from './dry-run/dry-run-writer.ts';
export { EventRecorder } from './events/event-recorder.ts';
export type { Notice, NoticeType } from './events/kube-event.ts';
export { type TokenBucketOptions, TokenBuckets } from './events/token-buckets.ts';
export { diffJson, type FieldChange, formatPath } from './json/json-diff.ts';
export { jsonEqual } from './json/json-equal.ts';
export { Controller, type ControllerOptions, type ControllerStatus, type ReconcileEvent } from './loop/controller.ts';
export { again, done, type Outcome, type Reconciler } from './loop/reconciler.ts';
export type { Source, SourceListener } from './loop/source.ts';
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
