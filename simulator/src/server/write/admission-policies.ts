import { matchesSelector } from '../../cluster/pods/label-selector.ts';
import { type DenialReason, forbidden } from '../../schema/api-status.ts';
import { celErrorText, celValue, compileCel } from '../../schema/index.ts';
import type { User } from '../access/identity.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import type { ServedKind } from '../kinds/served-kind.ts';
import { type JsonObject, listAt, metaOf, objectAt, textAt } from '../object/api-object.ts';
import type { ObjectRef } from '../store/object-reader.ts';
import type { Store } from '../store/store.ts';

/** A write that is about to happen, complete and valid. */
export interface Attempt {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly kind: ServedKind;
  readonly ref: ObjectRef;
  readonly subresource: string | undefined;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly dryRun: boolean;
}

/** Lets a write happen, or throws what it is refused with. */
export type Admit = (attempt: Attempt) => void;

interface Denial {
  readonly message: string;
  readonly reason: DenialReason;
}

const group = 'admissionregistration.k8s.io';
const policies = `${group}/validatingadmissionpolicies`;
const bindings = `${group}/validatingadmissionpolicybindings`;

/** Holds writes against the ValidatingAdmissionPolicies that are bound. Parameters, audit annotations and `authorizer` are left out. */
export class AdmissionPolicies {
  readonly #store: Store;
  readonly #registry: KindRegistry;

  constructor(store: Store, registry: KindRegistry) {
    this.#store = store;
    this.#registry = registry;
  }

  /** Throws the first denial. What a binding only warns of is told to `warn`. */
  admit(attempt: Attempt, user: User, warn: (text: string) => void): void {
    // Nobody can be locked out of the policies themselves.
    if (this.#store.collection(policies).size === 0 || attempt.kind.group === group) return;
    for (const [policyName, policy] of this.#store.collection(policies).range('')) {
      const spec = objectAt(policy, 'spec');
      if (!this.#matches(objectAt(spec, 'matchConstraints'), attempt)) continue;
      for (const [bindingName, binding] of this.#store.collection(bindings).range('')) {
        const { policyName: bound, matchResources, validationActions } = objectAt(binding, 'spec');
        if (bound !== policyName) continue;
        if (matchResources !== undefined && !this.#matches(objectAt(binding, 'spec', 'matchResources'), attempt)) continue;
        for (const { message, reason } of denials(spec, this.#variables(attempt, user))) {
          const where = `'${policyName}' with binding '${bindingName}'`;
          const actions = validationActions as readonly string[];
          if (actions.includes('Warn')) warn(`Validation failed for ValidatingAdmissionPolicy ${where}: ${message}`);
          if (!actions.includes('Deny')) continue;
          const why = `ValidatingAdmissionPolicy ${where} denied request: ${message}`;
          throw forbidden(attempt.kind, attempt.ref.name, why, { reason, causes: [{ reason: '', message: why, field: '' }] });
        }
      }
    }
  }

  #matches(match: JsonObject, attempt: Attempt): boolean {
    const rules = listAt(match, 'resourceRules');
    const isMeant = (rule: JsonObject): boolean => this.#meets(rule, attempt, match['matchPolicy'] !== 'Exact');
    if (rules.length > 0 && !rules.some(isMeant)) return false;
    if (listAt(match, 'excludeResourceRules').some(isMeant)) return false;
    const isSelected = (field: string, object: JsonObject): boolean => matchesSelector(objectAt(match, field), metaOf(object).labels ?? {});
    const namespace = attempt.kind.storageKey === '/namespaces' ? (attempt.object ?? attempt.oldObject) : this.#namespace(attempt);
    if (namespace !== undefined && !isSelected('namespaceSelector', namespace)) return false;
    return [attempt.object, attempt.oldObject].some((object) => object !== undefined && isSelected('objectSelector', object));
  }

  #meets(rule: JsonObject, { kind, operation, ref, subresource }: Attempt, otherVersions: boolean): boolean {
    const has = (field: string, ...values: readonly string[]): boolean => {
      const wanted = (rule[field] ?? []) as readonly string[];
      return wanted.some((each) => each === '*' || values.includes(each));
    };
    const versions = otherVersions
      ? this.#registry.all().flatMap((each) => (each.storageKey === kind.storageKey ? [each.version] : []))
      : [kind.version];
    const resources = (rule['resources'] ?? []) as readonly string[];
    const isResource = resources.some((each) => {
      const [plural, below] = each.split('/');
      return (plural === '*' || plural === kind.plural) && (below === '*' || below === subresource);
    });
    const names = (rule['resourceNames'] ?? []) as readonly string[];
    return (
      has('operations', operation) &&
      has('apiGroups', kind.group) &&
      has('apiVersions', ...versions) &&
      isResource &&
      (names.length === 0 || names.includes(ref.name)) &&
      (rule['scope'] === '*' || (rule['scope'] === 'Namespaced') === kind.namespaced)
    );
  }

  #namespace({ kind, ref: { namespace } }: Attempt): JsonObject | undefined {
    return kind.namespaced && namespace !== undefined ? this.#store.get('/namespaces', namespace) : undefined;
  }

  #variables(attempt: Attempt, user: User): Readonly<Record<string, unknown>> {
    const { kind, ref, subresource = '', operation, dryRun, object, oldObject } = attempt;
    const [requestKind, resource] = [
      { group: kind.group, version: kind.version, kind: kind.kind },
      { group: kind.group, version: kind.version, resource: kind.plural },
    ];
    const request = {
      ...{ kind: requestKind, requestKind, resource, requestResource: resource, subResource: subresource, requestSubResource: subresource },
      ...{ name: ref.name, namespace: ref.namespace ?? '', operation, userInfo: { ...user }, dryRun },
    };
    const seen = (value: JsonObject | undefined): unknown => (value === undefined ? null : celValue(undefined, value));
    return { request, object: seen(object), oldObject: seen(oldObject), namespaceObject: seen(this.#namespace(attempt)) };
  }
}

function denials(spec: JsonObject, given: Readonly<Record<string, unknown>>): Denial[] {
  // A variable is worked out when it is first looked at: what nobody looks at cannot fail.
  const variables = {};
  const scope = { ...given, variables };
  for (const variable of listAt(spec, 'variables')) {
    Object.defineProperty(variables, textAt(variable, 'name'), {
      enumerable: true,
      get: () => evaluate(textAt(variable, 'expression'), scope),
    });
  }
  const isLax = spec['failurePolicy'] === 'Ignore';
  const failed = (expression: string, error: unknown): Denial[] =>
    isLax ? [] : [{ message: `expression '${expression}' resulted in error: ${celErrorText(error)}`, reason: 'Invalid' }];
  const conditions = listAt(spec, 'matchConditions').map((each) => outcomeOf(textAt(each, 'expression').trim(), scope));
  if (conditions.some(({ value }) => value === false)) return [];
  const broken = conditions.find(({ error }) => error !== undefined);
  if (broken !== undefined) return failed(broken.expression, broken.error);
  return listAt(spec, 'validations').flatMap((validation): Denial[] => {
    const { expression, value, error } = outcomeOf(textAt(validation, 'expression').trim(), scope);
    if (error !== undefined) return failed(expression, error);
    if (value === true) return [];
    const message = messageOf(textAt(validation, 'messageExpression'), scope) || textAt(validation, 'message').trim();
    const reason = (textAt(validation, 'reason') || 'Invalid') as DenialReason;
    return [{ message: message || `failed expression: ${expression}`, reason }];
  });
}

function outcomeOf(expression: string, scope: object): { readonly expression: string; readonly value?: unknown; readonly error?: unknown } {
  try {
    return { expression, value: evaluate(expression, scope) };
  } catch (error) {
    return { expression, error };
  }
}

function messageOf(expression: string, scope: object): string {
  if (expression === '') return '';
  try {
    const text = evaluate(expression, scope);
    return typeof text === 'string' && !text.trim().includes('\n') ? text.trim() : '';
  } catch {
    return '';
  }
}

const evaluate = (expression: string, scope: object): unknown => compileCel(expression.trim(), 'policy')({ ...scope });
