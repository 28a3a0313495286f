import { invalidFields, StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import { type StreamKind, streamKinds } from '../../gateway-view.ts';

/** A stream that a page asks for, as the provider's gateway has it. */
export interface StreamRequest {
  readonly lease: string;
  /** What a token has to allow. */
  readonly scope: string;
  /** Services that a token has to be for; none: all. */
  readonly services: readonly string[];
  /** With its query. */
  readonly path: string;
}

const service = z
  .string()
  .max(63)
  .regex(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, 'must be the name of a service');
const services = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(service).max(64));
const flag = z.enum(['true', 'false']).optional();
const bit = z.enum(['0', '1']);
const count = (most: number) => z.coerce.number().int().min(0).max(most);
const word = z.string().max(4_096);
const moreWords = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`cmd${index + 1}`, word.optional()]));

const queries: Readonly<Record<StreamKind, z.ZodType<Record<string, unknown>>>> = {
  logs: z.strictObject({ service: services.optional(), follow: flag, tail: count(10_000).optional() }),
  kubeevents: z.strictObject({ follow: flag }),
  shell: z.strictObject({ service, podIndex: count(1_000), tty: bit, stdin: bit, cmd0: word.min(1), ...moreWords }),
};
const scopes: Readonly<Record<StreamKind, string>> = { logs: 'logs', kubeevents: 'events', shell: 'shell' };

const params = z.object({ lease: z.string(), kind: z.enum(streamKinds) });

/** What is asked for, with nothing in it that is not known. Throws `invalid_argument`, and `not_found` for what can be no lease. */
export function streamRequest(given: unknown, query: unknown): StreamRequest {
  const { lease, kind } = parsed(params, given);
  const [, ...numbers] = /^(\d{1,20})-(\d{1,10})-(\d{1,10})-./.exec(lease) ?? [];
  if (numbers.length === 0) throw new StatusError('not_found', `there is no lease ${JSON.stringify(lease)}`);
  const asked = parsed(queries[kind], query);
  const named = asked['service'];
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) text.set(name, String(value));
  return {
    lease,
    scope: scopes[kind],
    services: named === undefined ? [] : [named].flat().map(String),
    path: `/lease/${numbers.join('/')}/${kind}?${text.toString()}`,
  };
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw invalidFields(error.issues.map(({ path, message }) => ({ field: path.join('.'), description: message })));
}
