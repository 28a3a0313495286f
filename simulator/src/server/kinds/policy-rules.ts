import { type Cause, problems } from '../../schema/api-status.ts';
import { celProblem } from '../../schema/index.ts';
import { type JsonObject, listAt, objectAt, textAt } from '../object/api-object.ts';
import { filled } from './pod-rules.ts';

function matchDefaults(match: JsonObject): JsonObject {
  const rules = (field: string): JsonObject =>
    field in match ? { [field]: listAt(match, field).map((rule) => filled(rule, { scope: '*' })) } : {};
  const selectors = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
  return { ...filled(match, selectors), ...rules('resourceRules'), ...rules('excludeResourceRules') };
}

/** What the server fills into a ValidatingAdmissionPolicy or its binding; `field` is what says where it applies. */
export const policyDefaults =
  (field: 'matchConstraints' | 'matchResources', defaults: JsonObject = {}) =>
  (object: JsonObject): JsonObject => {
    const spec = objectAt(object, 'spec');
    const match = field in spec ? { [field]: matchDefaults(objectAt(spec, field)) } : {};
    return { ...object, spec: { ...filled(spec, defaults), ...match } };
  };

export function policyProblems(object: JsonObject): Cause[] {
  const spec = objectAt(object, 'spec');
  const causes: Cause[] = [];
  if (listAt(spec, 'matchConstraints', 'resourceRules').length === 0) causes.push(problems.required('spec.matchConstraints.resourceRules'));
  if ([...listAt(spec, 'validations'), ...listAt(spec, 'auditAnnotations')].length === 0)
    causes.push(problems.required('spec.validations', 'validations or auditAnnotations must contain at least one item'));
  if ('paramKind' in spec) causes.push(problems.forbidden('spec.paramKind', 'the simulator does not support policy parameters'));
  const expressions = [
    ['matchConditions', 'expression', 'bool'],
    ['variables', 'expression', undefined],
    ['validations', 'expression', 'bool'],
    ['validations', 'messageExpression', 'string'],
  ] as const;
  for (const [list, field, type] of expressions) {
    for (const [index, item] of listAt(spec, list).entries()) {
      const expression = textAt(item, field).trim();
      const place = `spec.${list}[${index}].${field}`;
      if (expression === '' && field === 'expression') causes.push(problems.required(place));
      const why = expression === '' ? undefined : celProblem(expression, type, 'policy');
      if (why !== undefined) causes.push(problems.invalid(place, expression, why));
    }
  }
  return causes;
}

export function policyBindingProblems(object: JsonObject): Cause[] {
  const { policyName = '', validationActions = [] } = objectAt(object, 'spec');
  return [
    ...(policyName === '' ? [problems.required('spec.policyName')] : []),
    ...(Array.isArray(validationActions) && validationActions.length > 0 ? [] : [problems.required('spec.validationActions')]),
  ];
}
