import { isJunkText, isJunkUuid } from '@quartermaster/kernel';

/** The text, tidied, or undefined when it tells nothing: what firmware says when nobody filled the field in. */
export function withoutJunk(text: string | undefined): string | undefined {
  // Device trees end their texts with a zero byte; firmware pads with blanks and worse.
  const tidy = text?.replaceAll(/[\p{Cc}\ufffd]+/gu, ' ').trim();
  return tidy === undefined || isJunkText(tidy) ? undefined : tidy.slice(0, 256);
}

/** A system UUID in lower case; undefined for a text that is none and for one that many machines have. */
export function systemUuidOf(text: string | undefined): string | undefined {
  const uuid = text?.trim().toLowerCase();
  if (uuid === undefined || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)) return undefined;
  return isJunkUuid(uuid) ? undefined : uuid;
}
