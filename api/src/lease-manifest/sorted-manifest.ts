import { invalidFields } from '@quartermaster/kernel';
import type { Group } from '../generated/akash/manifest/v2beta3/group_pb.ts';
import { canonicalManifest } from './canonical-manifest.ts';
import { notJson } from './faults.ts';

/**
 * The same manifest as the text that its hash is made of: clients write keys in any order. Loses nothing. Throws `invalid_argument` for what is not JSON; whether it is a manifest,
 * `readManifest` says.
 */
export function sortedManifest(json: string): string {
  try {
    return canonicalManifest(JSON.parse(json));
  } catch {
    throw invalidFields([notJson]);
  }
}

/** The same of the messages in which clients send it. */
export const groupsOfMessages = (groups: readonly Group[]): string => canonicalManifest(groups.map(plain));

/** As JSON has it: amounts are text in bytes, and what a message has of its own is not of the manifest. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, each]) => (key.startsWith('$') ? [] : [[key, plain(each)]])));
}
