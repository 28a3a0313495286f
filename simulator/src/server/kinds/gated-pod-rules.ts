import { type Cause, problems } from '../../schema/api-status.ts';
import { type Json, type JsonObject, jsonEqual, listAt, metaOf, objectAt, textAt, withFields } from '../object/api-object.ts';

const required = ['nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'] as const;
const termsField = `spec.affinity.${required.join('.')}.nodeSelectorTerms`;

const isGated = (pod: JsonObject): boolean => listAt(pod, 'spec', 'schedulingGates').length > 0;

/** The first status of a new pod. One that is gated says so before any scheduler has looked at it. */
export function newPodStatus(pod: JsonObject): JsonObject {
  if (!isGated(pod)) return { phase: 'Pending' };
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: metaOf(pod).creationTimestamp ?? null,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  return { phase: 'Pending', conditions: [condition] };
}

export function gatedNodeProblems(pod: JsonObject): Cause[] {
  if (!isGated(pod) || textAt(pod, 'spec', 'nodeName') === '') return [];
  return [problems.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')];
}

/** What is wrong with the fields of nodes that the required terms of a pod's spec at `path` ask for. */
export function nodeFieldProblems(spec: JsonObject, path: string): Cause[] {
  const terms = listAt(spec, 'affinity', ...required, 'nodeSelectorTerms');
  return terms.flatMap((term, index) =>
    listAt(term, 'matchFields').flatMap((requirement, at): Cause[] => {
      const where = `${path}.affinity.${required.join('.')}.nodeSelectorTerms[${index}].matchFields[${at}]`;
      const key = textAt(requirement, 'key');
      if (key !== 'metadata.name') return [problems.invalid(`${where}.key`, key, 'not a valid field selector key')];
      const operator = textAt(requirement, 'operator');
      if (operator !== 'In' && operator !== 'NotIn')
        return [problems.invalid(`${where}.operator`, operator, 'not a valid selector operator')];
      const { values } = requirement;
      const isOne = Array.isArray(values) && values.length === 1;
      const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
      return isOne ? [] : [problems.required(`${where}.values`, why)];
    }),
  );
}

/** Gates may go and never come. */
export function gateProblems(before: JsonObject, after: JsonObject): Cause[] {
  const known = new Set(listAt(before, 'spec', 'schedulingGates').map((gate) => textAt(gate, 'name')));
  return listAt(after, 'spec', 'schedulingGates').flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return known.has(name) ? [] : [problems.forbidden(`spec.schedulingGates[${index}].name`, why)];
  });
}

/**
 * What an update may not change of where a pod may run. While a pod is gated its choice of nodes may become narrower, even in the request that lifts
 * the last gate; afterwards a scheduler may have decided already. The result compares as equal to the pod's former spec where all of it is allowed.
 */
export function placementProblems(before: JsonObject, after: JsonObject): { readonly causes: Cause[]; readonly spec: JsonObject } {
  const [old, now] = [objectAt(before, 'spec'), objectAt(after, 'spec')];
  if (!isGated(before)) return { causes: [], spec: now };
  const [affinity, changed] = [objectAt(old, 'affinity'), objectAt(now, 'affinity')];
  const restored = withFields(changed, { nodeAffinity: affinity['nodeAffinity'] });
  const isEmpty = old['affinity'] === undefined && Object.keys(restored).length === 0;
  const spec = withFields(now, { nodeSelector: old['nodeSelector'], affinity: isEmpty ? undefined : restored });
  return { causes: [...selectorProblems(old, now), ...termProblems(affinity, changed)], spec };
}

function selectorProblems(old: JsonObject, now: JsonObject): Cause[] {
  const selector = objectAt(now, 'nodeSelector');
  const isKept = Object.entries(objectAt(old, 'nodeSelector')).every(([key, value]) => selector[key] === value);
  const why = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return isKept ? [] : [problems.invalid('spec.nodeSelector', selector, why)];
}

function termProblems(old: JsonObject, now: JsonObject): Cause[] {
  const [before, after] = [old, now].map((affinity) => listAt(affinity, ...required, 'nodeSelectorTerms')) as [JsonObject[], JsonObject[]];
  if (before.length === 0) return [];
  if (before.length !== after.length)
    return [problems.invalid(termsField, after, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  return before.flatMap((term, index) => {
    const changed = after[index] ?? {};
    const why = 'only additions are allowed (no mutations or deletions)';
    return isNarrower(term, changed) ? [] : [problems.invalid(`${termsField}[${index}]`, changed, why)];
  });
}

/** A term without requirements matches no node, so that any requirement would widen it. */
function isNarrower(before: JsonObject, after: JsonObject): boolean {
  const lists = (term: JsonObject): readonly (readonly Json[])[] => [listAt(term, 'matchExpressions'), listAt(term, 'matchFields')];
  if (lists(before).every((list) => list.length === 0)) return lists(after).every((list) => list.length === 0);
  return lists(before).every((list, index) => jsonEqual(lists(after)[index]?.slice(0, list.length), list));
}
