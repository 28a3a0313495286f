import type { DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { Kind } from '../kinds/kind.ts';
import type { AnyObject } from './object-client.ts';
import { objectJson } from './object-json.ts';

/** What the service shows in place of a secret, as text and as bytes. */
const redacted: ReadonlySet<JsonValue> = new Set(['<redacted>', Buffer.from('<redacted>').toString('base64')]);

/** An object as a file has it, ready to be applied again: with its kind, and without the secrets, which then stay as they are. */
export function objectDocument({ message }: Pick<Kind, 'message'>, schema: DescMessage, object: AnyObject): JsonObject {
  return { kind: message, ...withoutSecrets(objectJson(schema, object)) };
}

export const isRedacted = (value: JsonValue | undefined): boolean => value !== undefined && redacted.has(value);

export function withoutSecrets(json: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(json)
      .filter(([, value]) => !isRedacted(value))
      .map(([key, value]) => [key, typeof value === 'object' && value !== null && !Array.isArray(value) ? withoutSecrets(value) : value]),
  );
}
