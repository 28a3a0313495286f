import type { JsonObject } from '../src/schema/index.ts';
import type { Step } from './patch-oracle.ts';

/** Named sequences of writes to one object. */
export type Cases = Readonly<Record<string, readonly Step[]>>;

export const data = (fields: JsonObject, metadata: JsonObject = {}): JsonObject => ({ data: fields, metadata });
export const create = (body: JsonObject, manager?: string): Step => ({
  verb: 'create',
  body,
  ...(manager === undefined ? {} : { manager }),
});
export const apply = (manager: string, body: JsonObject, force?: boolean): Step => ({
  verb: 'apply',
  manager,
  body,
  ...(force === undefined ? {} : { force }),
});
export const json = (...patch: readonly JsonObject[]): Step => ({ verb: 'json', patch });
export const merge = (patch: JsonObject, manager?: string): Step => ({
  verb: 'merge',
  patch,
  ...(manager === undefined ? {} : { manager }),
});
export const strategic = (patch: JsonObject): Step => ({ verb: 'strategic', patch });
export const status = (step: Step): Step => ({ ...step, subresource: 'status' });
export const spec = (fields: JsonObject): JsonObject => ({ spec: fields });
