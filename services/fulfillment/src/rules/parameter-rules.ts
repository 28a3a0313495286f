import { create, createRegistry, fromBinary, toJson } from '@bufbuild/protobuf';
import {
  type Any,
  AnySchema,
  BoolValueSchema,
  BytesValueSchema,
  DoubleValueSchema,
  DurationSchema,
  FloatValueSchema,
  Int32ValueSchema,
  Int64ValueSchema,
  ListValueSchema,
  StringValueSchema,
  StructSchema,
  TimestampSchema,
  UInt32ValueSchema,
  UInt64ValueSchema,
  ValueSchema,
} from '@bufbuild/protobuf/wkt';
import type { ClusterTemplateParameterDefinition } from '@quartermaster/api/private';
import type { FieldViolation } from '@quartermaster/kernel';
import { keyText } from '@quartermaster/objects';

/** Types that a parameter of a template can have, known by the last part of their type URL. */
const parameterTypes = createRegistry(
  BoolValueSchema,
  BytesValueSchema,
  DoubleValueSchema,
  DurationSchema,
  FloatValueSchema,
  Int32ValueSchema,
  Int64ValueSchema,
  ListValueSchema,
  StringValueSchema,
  StructSchema,
  TimestampSchema,
  UInt32ValueSchema,
  UInt64ValueSchema,
  ValueSchema,
);

/** `type.googleapis.com/google.protobuf.StringValue` -> `google.protobuf.StringValue` */
const typeNameOf = (typeUrl: string): string => typeUrl.slice(typeUrl.lastIndexOf('/') + 1);

const knownTypes = (): string => [...parameterTypes].map(({ typeName }) => typeName).join(', ');

/** Why a value does not fit a type, without repeating the value: it may be a password. */
function valueFault(value: Any, typeUrl: string): string | undefined {
  const wanted = typeNameOf(typeUrl);
  if (typeNameOf(value.typeUrl) !== wanted) return `must be of type "${wanted}", and is of type "${typeNameOf(value.typeUrl)}"`;
  const schema = parameterTypes.getMessage(wanted);
  if (schema === undefined) return undefined;
  try {
    // Also what JSON cannot tell is refused: a time beyond all years, a number that is none.
    toJson(schema, fromBinary(schema, value.value));
    return undefined;
  } catch {
    return `must be a value of type "${wanted}", and cannot be read as one`;
  }
}

export function definitionViolations(definitions: readonly ClusterTemplateParameterDefinition[]): FieldViolation[] {
  const seen = new Set<string>();
  return definitions.flatMap(({ name, type, default: value }, index) => {
    const field = `parameters.${index}`;
    const violations: FieldViolation[] = [];
    if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,62}$/.test(name)) {
      violations.push({
        field: `${field}.name`,
        description: 'must have 1 to 63 letters, digits, "_", "-" and ".", beginning with a letter or "_"',
      });
    } else if (seen.has(name)) {
      violations.push({ field: `${field}.name`, description: `must not repeat "${name}": define each parameter once` });
    }
    seen.add(name);
    if (parameterTypes.getMessage(typeNameOf(type)) === undefined) {
      violations.push({ field: `${field}.type`, description: `must be the type URL of one of ${knownTypes()}` });
    } else if (value !== undefined) {
      const fault = valueFault(value, type);
      if (fault !== undefined) violations.push({ field: `${field}.default`, description: fault });
    }
    return violations;
  });
}

/** The parameters of a new cluster: those given, and the defaults of the others. */
export function preparedParameters(
  field: string,
  given: Readonly<Record<string, Any>>,
  definitions: readonly ClusterTemplateParameterDefinition[],
): { readonly parameters: Record<string, Any>; readonly violations: FieldViolation[] } {
  const violations: FieldViolation[] = [];
  const known = new Set(definitions.map(({ name }) => name));
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue;
    const names = known.size === 0 ? 'it has none' : `it has ${[...known].join(', ')}`;
    violations.push({ field: `${field}.${keyText(name)}`, description: `is not a parameter of the template; ${names}` });
  }
  const parameters: Record<string, Any> = {};
  for (const { name, type, required, default: value } of definitions) {
    const chosen = given[name];
    const at = `${field}.${keyText(name)}`;
    if (chosen !== undefined) {
      const fault = valueFault(chosen, type);
      if (fault !== undefined) violations.push({ field: at, description: fault });
      parameters[name] = chosen;
    } else if (value !== undefined) parameters[name] = create(AnySchema, value);
    else if (required)
      violations.push({ field: at, description: `must be set, to a value of type "${typeNameOf(type)}": the template has no default` });
  }
  return { parameters, violations };
}
