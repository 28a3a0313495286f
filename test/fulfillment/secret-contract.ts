/** What the contracts say of secrets, read off their descriptors, so that whatever comes to have one is looked at without anybody thinking of it. */
import type { DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf';
import * as fulfillment from '@quartermaster/api/fulfillment';
import { HttpBodySchema } from '@quartermaster/api/fulfillment';
import * as extras from '@quartermaster/api/fulfillment-extras';
import * as privateApi from '@quartermaster/api/private';
import { secretPathsOf } from '@quartermaster/store';

function servicesIn(api: object): DescService[] {
  return Object.values(api).filter(
    (each: unknown): each is DescService => typeof each === 'object' && each !== null && 'kind' in each && each.kind === 'service',
  );
}

export const services: readonly DescService[] = [fulfillment, privateApi, extras].flatMap(servicesIn);
export const methods: readonly DescMethod[] = services.flatMap((each) => each.methods);

/** Every field of a message and of all that it holds, in lists, maps and choices, too. */
export function fieldsIn(message: DescMessage, seen = new Set<string>()): readonly DescField[] {
  if (seen.has(message.typeName)) return [];
  seen.add(message.typeName);
  return message.fields.flatMap((field) => [field, ...(field.message === undefined ? [] : fieldsIn(field.message, seen))]);
}

export const isSecret = (field: DescField): boolean => field.proto.options?.debugRedact === true;

/** A Get whose object has secrets. */
export interface RevealingGet {
  readonly method: DescMethod;
  readonly object: DescMessage;
  readonly secretPaths: readonly string[];
}

export const revealingGets: readonly RevealingGet[] = methods.flatMap((method) => {
  const object = method.output.field['object']?.message;
  if (method.name !== 'Get' || object === undefined) return [];
  const secretPaths = secretPathsOf(object);
  return secretPaths.length === 0 ? [] : [{ method, object, secretPaths }];
});

/** Methods that are there to give out a secret, as a field or as a file. */
export const handingOut: readonly DescMethod[] = methods.filter(
  ({ output }) => output.fields.some(isSecret) || output.typeName === HttpBodySchema.typeName,
);
