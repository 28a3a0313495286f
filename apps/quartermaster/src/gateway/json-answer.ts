import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isJsonObject } from '../text/json-path.ts';

/** The object that a gateway sent. What is none becomes its `message`: proxies in front of gateways answer with texts. */
export function jsonAnswer(bytes: Uint8Array): JsonObject {
  const text = Buffer.from(bytes).toString();
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isJsonObject(value)) return value;
  } catch {
    // A text.
  }
  return { message: text.trim() };
}
