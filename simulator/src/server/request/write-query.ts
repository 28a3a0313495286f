import { badRequest } from '../../schema/api-status.ts';
import { booleanOf } from '../answer/list-options.ts';
import { isObject, type Json, type JsonObject } from '../object/api-object.ts';
import type { Admit } from '../write/admission-policies.ts';
import type { DeleteOptions, Propagation } from '../write/object-deleter.ts';
import type { WriteOptions } from '../write/object-writer.ts';
import type { ApiContext, ResourceRequest } from './api-context.ts';

const propagations: readonly string[] = ['Background', 'Foreground', 'Orphan'];

function dryRunOf(values: readonly string[]): boolean {
  if (values.some((value) => value !== 'All'))
    throw badRequest(`dryRun: Unsupported value: ${JSON.stringify(values)}: supported values: "All"`);
  return values.length > 0;
}

/** The policies' word about the writes of a request. Warnings are collected into `warnings`. */
export const admitOf =
  ({ policies }: Pick<ApiContext, 'policies'>, { user }: Pick<ResourceRequest, 'user'>, warnings: string[]): Admit =>
  (attempt) =>
    policies.admit(attempt, user, (text) => warnings.push(text));

/** What the query of a write says about it. Warnings are collected into `warnings`. */
export function writeOptions(api: ApiContext, call: ResourceRequest, warnings: string[]): WriteOptions {
  const { request, query } = call;
  const fieldValidation = query.get('fieldValidation') ?? 'Warn';
  if (fieldValidation !== 'Ignore' && fieldValidation !== 'Warn' && fieldValidation !== 'Strict')
    throw badRequest(
      `fieldValidation: Unsupported value: ${JSON.stringify(fieldValidation)}: supported values: "Ignore", "Strict", "Warn"`,
    );
  const named = query.get('fieldManager') ?? '';
  if (named.length > 128) throw badRequest('fieldManager: Too long: may not be more than 128 bytes');
  return {
    dryRun: dryRunOf(query.getAll('dryRun')),
    manager: named === '' ? ((request.headers['user-agent'] ?? '').split('/')[0] ?? '').slice(0, 128) : named,
    fieldValidation,
    warn: (text) => warnings.push(text),
    admit: admitOf(api, call, warnings),
  };
}

/** From the query and from a DeleteOptions object in the body, which wins. */
export function deleteOptions(query: URLSearchParams, body: JsonObject): DeleteOptions {
  const inBody = body['dryRun'];
  const dryRun = dryRunOf(Array.isArray(inBody) ? (inBody as string[]) : query.getAll('dryRun'));
  const preconditions = body['preconditions'];
  if (preconditions !== undefined && !isObject(preconditions)) throw badRequest('preconditions: must be an object');
  return {
    dryRun,
    gracePeriodSeconds: gracePeriodOf(body['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds')),
    propagation: propagationOf(body, query),
    preconditions,
  };
}

function gracePeriodOf(value: Json | undefined): number | undefined {
  if (value === null || value === undefined) return undefined;
  const seconds = Number(value);
  if (!Number.isInteger(seconds) || seconds < 0)
    throw badRequest(`gracePeriodSeconds: Invalid value: ${JSON.stringify(value)}: must be 0 or more`);
  return seconds;
}

function propagationOf(body: JsonObject, query: URLSearchParams): Propagation | undefined {
  const policy = body['propagationPolicy'] ?? query.get('propagationPolicy') ?? undefined;
  const orphan = body['orphanDependents'] ?? booleanOf(query, 'orphanDependents');
  if (policy !== undefined && orphan !== undefined)
    throw badRequest('propagationPolicy: Invalid value: orphanDependents and deletionPropagation cannot be both set');
  if (orphan !== undefined) return orphan === true ? 'Orphan' : 'Background';
  if (policy === undefined || policy === '') return undefined;
  if (typeof policy !== 'string' || !propagations.includes(policy))
    throw badRequest(
      `propagationPolicy: Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan"`,
    );
  return policy as Propagation;
}
