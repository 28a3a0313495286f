import type { Message } from '@bufbuild/protobuf';

/** Whether a message, or one inside of it, has fields that this release does not know. Plain properties: this is asked of every object that is updated. */
export function hasUnknownFields(message: Message): boolean {
  return (message.$unknown?.length ?? 0) > 0 || Object.values(message).some(holdsUnknown);
}

function holdsUnknown(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  if ('$unknown' in value && Array.isArray(value.$unknown) && value.$unknown.length > 0) return true;
  return Object.values(value).some(holdsUnknown);
}
