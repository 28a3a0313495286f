import type { LabelSelector, NodeSelectorRequirement, NodeSelectorTerm } from '@quartermaster/kube/shapes';

export type Labels = Readonly<Record<string, string>>;

/** Whether the labels satisfy the selector. An empty selector matches everything, an absent one nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (labels[key] !== value) return false;
  }
  return (selector.matchExpressions ?? []).every(({ key, operator, values }) => holds(key, operator, values ?? [], labels));
}

/** Whether a node satisfies one of the terms. A term without requirements matches no node. */
export function matchesNodeTerms(terms: readonly NodeSelectorTerm[], labels: Labels, nodeName: string): boolean {
  return terms.some((term) => matchesNodeTerm(term, labels, nodeName));
}

export function matchesNodeTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, labels: Labels, nodeName: string): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every(({ key, operator, values }) => holds(key, operator, values ?? [], labels)) &&
    matchFields.every(({ key, operator, values }) => holds(key, operator, values ?? [], { 'metadata.name': nodeName }))
  );
}

function holds(key: string, operator: string, values: NonNullable<NodeSelectorRequirement['values']>, labels: Labels): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return compared(value, values[0], (a, b) => a > b);
    case 'Lt':
      return compared(value, values[0], (a, b) => a < b);
    default:
      return false;
  }
}

/** Only whole numbers compare. */
function compared(left: string | undefined, right: string | undefined, test: (a: bigint, b: bigint) => boolean): boolean {
  if (left === undefined || right === undefined || !/^-?\d+$/.test(left) || !/^-?\d+$/.test(right)) return false;
  return test(BigInt(left), BigInt(right));
}
