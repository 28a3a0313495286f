import type { FieldViolation } from '@quartermaster/kernel';

/** Of each type there is one condition: a second one would contradict the first or repeat it. */
export function conditionViolations(field: string, conditions: readonly { readonly type: number }[]): FieldViolation[] {
  const seen = new Set<number>();
  return conditions.flatMap(({ type }, index) => {
    if (!seen.has(type)) {
      seen.add(type);
      return [];
    }
    return [{ field: `${field}.${index}.type`, description: `must not repeat the type ${type}: change the condition that has it already` }];
  });
}
