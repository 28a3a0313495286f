export type { KindInfo, SubresourceInfo } from './built-in-data.ts';
export { builtInKinds, kubernetesVersion, schemaOf } from './built-in-schemas.ts';
export type { Json, JsonObject } from './json.ts';
export { badRequest, type FieldProblem, type FieldReason, type Refusal, refusalOf, unprocessable } from './refusal.ts';
export type { SchemaNode } from './schema-node.ts';
export { withZeroFields } from './zero-fields.ts';
