import { validationSDLSchema } from '@akashnetwork/chain-sdk';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
}

const root = validationSDLSchema as unknown as Schema & { readonly definitions: Readonly<Record<string, Schema>> };

/** The fields that the library's schema has for the map at this place; none where names are free. */
export function fieldsAt(keys: readonly string[]): readonly string[] {
  let schemas: readonly Schema[] = [root];
  for (const key of keys) schemas = schemas.flatMap(resolved).flatMap((schema) => inside(schema, key));
  return schemas.flatMap(resolved).flatMap(({ properties }) => Object.keys(properties ?? {}));
}

function resolved(schema: Schema): readonly Schema[] {
  const target = schema.$ref === undefined ? schema : root.definitions[schema.$ref.replace('#/definitions/', '')];
  if (target === undefined) return [];
  return [target, ...(target.oneOf ?? []).flatMap(resolved)];
}

function inside({ properties, additionalProperties, items }: Schema, key: string): readonly Schema[] {
  const field = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (field !== undefined) return [field];
  if (typeof additionalProperties === 'object') return [additionalProperties];
  return items === undefined ? [] : [items];
}
