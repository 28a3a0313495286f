/** What firmware, tools and people write where they have nothing to tell: it identifies no machine. */

/** Letters and digits alone, in lower case. */
const placeholders = new Set([
  'assetserial',
  'assettag',
  'baseboardserialnumber',
  'chassis',
  'chassisserialnumber',
  'default',
  'defaultstring',
  'empty',
  'filledbyoem',
  'invalid',
  'na',
  'nil',
  'noassettag',
  'nodimm',
  'none',
  'noserial',
  'notapplicable',
  'notavailable',
  'notpresent',
  'notprovided',
  'notset',
  'notsettable',
  'notspecified',
  'null',
  'oem',
  'serial',
  'serialnumber',
  'sernum',
  'sn',
  'systemmanufacturer',
  'systemproductname',
  'systemserialnumber',
  'tbd',
  'tobefilled',
  'tobefilledbyoem',
  'undefined',
  'unknown',
  'unspecified',
]);

/** Digits that somebody typed in their order. */
const countedDigits = '012345678901234567890123456789';

/** Of any text: placeholders, counting, zeros and the like over and over. */
export function isJunkText(text: string): boolean {
  const bare = bareText(text);
  if (bare === '' || placeholders.has(bare) || /^(0x)?([0fx])\2*$/.test(bare)) return true;
  return bare.length > 4 && countedDigits.includes(bare);
}

/** Of a serial number, which is never a single character, nor one over and over. */
export const isJunkSerial = (serial: string): boolean => isJunkText(serial) || isOneCharacter(bareText(serial));

/** UUIDs that makers of mainboards ship, and that a Dell has whose service tag is blank. */
const shippedUuids = new Set([
  '00020003-0004-0005-0006-000700080009',
  '01234567-89ab-cdef-0123-456789abcdef',
  '03000200-0400-0500-0006-000700080009',
  '03020100-0504-0706-0809-0a0b0c0d0e0f',
  '00010203-0405-0607-0809-0a0b0c0d0e0f',
  '11111111-2222-3333-4444-555555555555',
  '12345678-1234-1234-1234-123456789012',
  '12345678-1234-1234-1234-123456789abc',
  '12345678-1234-5678-90ab-cddeefaabbcc',
  '4c4c4544-0000-2010-8020-80c04f202020',
  '4c4c4544-0020-2010-8020-80c04f202020',
]);

/** Of a UUID in lower case with hyphens. One byte all over is none: zeros and FF among them. */
export function isJunkUuid(uuid: string): boolean {
  const digits = uuid.replaceAll('-', '');
  return shippedUuids.has(uuid) || digits === digits.slice(0, 2).repeat(digits.length / 2) || isOneCharacter(digits);
}

/** Of a MAC address with colons. Zeros, and addresses of groups, of which the broadcast is one, belong to no interface. */
export function isJunkMac(mac: string): boolean {
  return /^[0:]*$/.test(mac) || (mac.length === 17 && (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1);
}

const bareText = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

const isOneCharacter = (text: string): boolean => new Set(text).size < 2;
