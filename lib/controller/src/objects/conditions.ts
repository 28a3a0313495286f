import { StatusError } from '@quartermaster/kernel';

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** One aspect of an object's state, in the form that all Kubernetes tools understand (`metav1.Condition`). */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** Why, for programs: CamelCase. */
  readonly reason: string;
  /** Why, for people: a sentence. */
  readonly message: string;
  /** The `metadata.generation` that was looked at. */
  readonly observedGeneration?: number | undefined;
  readonly lastTransitionTime: string;
}

export type DesiredCondition = Omit<Condition, 'lastTransitionTime'>;

const typePattern = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/;
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const maxTypeLength = 316;
const maxReasonLength = 1024;
const maxMessageLength = 32_768;

/**
 * The list with this condition set, and whether that changed anything; when not, it is the same list. `lastTransitionTime` moves
 * only when the status does. Order is kept and a new type goes last. A message that is too long is cut, since it often comes from
 * an error; a type or reason that the API server would refuse is `invalid_argument`.
 */
export function setCondition(
  conditions: readonly Condition[],
  desired: DesiredCondition,
  nowIso: string,
): { readonly conditions: readonly Condition[]; readonly changed: boolean } {
  checkCondition(desired);
  const before = findCondition(conditions, desired.type);
  const after: Condition = {
    type: desired.type,
    status: desired.status,
    reason: desired.reason,
    message: cut(desired.message),
    observedGeneration: desired.observedGeneration,
    lastTransitionTime: before !== undefined && before.status === desired.status ? before.lastTransitionTime : nowIso,
  };
  if (before === undefined) return { conditions: [...conditions, after], changed: true };
  if (isSame(before, after)) return { conditions, changed: false };
  return { conditions: conditions.map((condition) => (condition === before ? after : condition)), changed: true };
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** False also when the condition is absent or unknown. */
export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return findCondition(conditions, type) === undefined ? conditions : conditions.filter((condition) => condition.type !== type);
}

/** A wall-clock time as conditions carry it: UTC, whole seconds. */
export function conditionTime(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19)}Z`;
}

function checkCondition(desired: DesiredCondition): void {
  if (desired.type.length > maxTypeLength || !typePattern.test(desired.type)) {
    refuse('type', desired.type, `must be CamelCase or prefix.example.com/CamelCase, at most ${maxTypeLength} characters`);
  }
  if (desired.reason.length > maxReasonLength || !reasonPattern.test(desired.reason)) {
    refuse(
      'reason',
      desired.reason,
      `must be one CamelCase word of letters, digits, "_", "," and ":", at most ${maxReasonLength} characters`,
    );
  }
  const generation = desired.observedGeneration;
  if (generation !== undefined && !(Number.isSafeInteger(generation) && generation >= 0)) {
    refuse('observedGeneration', String(generation), "must be a whole number from 0; take it from the object's metadata.generation");
  }
}

function refuse(field: string, value: string, rule: string): never {
  throw new StatusError('invalid_argument', `condition ${field} ${JSON.stringify(value.slice(0, 80))} ${rule}`);
}

/** The server counts characters, not UTF-16 units; counting units can only cut a little earlier. */
function cut(message: string): string {
  if (message.length <= maxMessageLength) return message;
  return `${message.slice(0, maxMessageLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function isSame(a: Condition, b: Condition): boolean {
  return a.status === b.status && a.reason === b.reason && a.message === b.message && a.observedGeneration === b.observedGeneration;
}
