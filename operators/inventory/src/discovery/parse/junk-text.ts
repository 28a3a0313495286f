/** What firmware says when nobody filled the field in. */
const junk = new Set([
  '',
  '-',
  '.',
  'asset-tag',
  'chassis serial number',
  'base board serial number',
  'default',
  'default string',
  'empty',
  'filled by oem',
  'invalid',
  'n/a',
  'na',
  'no asset tag',
  'no dimm',
  'none',
  'not applicable',
  'not available',
  'not present',
  'not provided',
  'not settable',
  'not specified',
  'null',
  'o.e.m.',
  'oem',
  'sernum',
  'serial number',
  'system manufacturer',
  'system product name',
  'system serial number',
  'to be filled',
  'to be filled by o.e.m',
  'to be filled by o.e.m.',
  'undefined',
  'unknown',
  'unspecified',
]);

/** The text, tidied, or undefined when it tells nothing: placeholders, one character over and over, counting. */
export function withoutJunk(text: string | undefined): string | undefined {
  // Device trees end their texts with a zero byte; firmware pads with blanks and worse.
  const tidy = text?.replaceAll(/[\p{Cc}\ufffd]+/gu, ' ').trim();
  if (tidy === undefined || junk.has(tidy.toLowerCase())) return undefined;
  const bare = tidy.toLowerCase().replaceAll(/[\s._-]/g, '');
  if (bare === '' || /^(0x)?([0fx])\2*$/.test(bare) || '01234567890123456789'.startsWith(bare) || '1234567890123456789'.startsWith(bare)) {
    return undefined;
  }
  return tidy.slice(0, 256);
}

// Boards whose makers never set it; thousands of machines share it.
const sharedUuids = new Set(['03000200-0400-0500-0006-000700080009', '12345678-1234-5678-90ab-cddeefaabbcc']);

/** A system UUID in lower case; undefined for a text that is none and for one that many machines have. */
export function systemUuidOf(text: string | undefined): string | undefined {
  const uuid = text?.trim().toLowerCase();
  if (uuid === undefined || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid) || sharedUuids.has(uuid)) return undefined;
  return /^([0f])\1*$/.test(uuid.replaceAll('-', '')) ? undefined : uuid;
}
