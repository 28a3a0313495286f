import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJunkMac, isJunkSerial, isJunkText, isJunkUuid } from './junk-marks.ts';

/** As firmware, tools and people spell them. */
const placeholders = [
  '-',
  '.',
  'Asset-Tag',
  'Asset-Serial',
  'Base Board Serial Number',
  'BaseBoard Serial Number',
  'Chassis',
  'Chassis Serial Number',
  'Default',
  'Default string',
  'Empty',
  'Filled by OEM',
  'INVALID',
  'N/A',
  'NA',
  'nil',
  'No Asset Tag',
  'NO DIMM',
  'No Serial',
  'none',
  'Not Applicable',
  'Not Available',
  'Not Present',
  'Not Provided',
  'Not Set',
  'Not Settable',
  'Not Specified',
  'null',
  'O.E.M.',
  'OEM',
  'Serial',
  'Serial Number',
  'SerNum',
  'SN',
  'System manufacturer',
  'System Product Name',
  'System Serial Number',
  'TBD',
  'To Be Filled',
  'To be filled by O.E.M',
  'To Be Filled By O.E.M.',
  'undefined',
  'Unknown',
  'Unspecified',
  '0x00000000',
  '0000000',
  'FFFF',
  '0123456789',
];

describe('what identifies no machine', () => {
  it.each(placeholders)('is the text "%s", of a serial number or of anything', (text) => {
    expect([isJunkText(text), isJunkText(text.toUpperCase()), isJunkSerial(text)]).toEqual([true, true, true]);
  });

  it('is less for a text than for a serial number: a slot may be called A, a model 33', () => {
    for (const text of ['A', '1', '33']) expect([isJunkText(text), isJunkSerial(text)]).toEqual([false, true]);
    fc.assert(fc.property(fc.string(), (text) => !isJunkText(text) || isJunkSerial(text)));
  });

  it.each([
    '',
    '0',
    'NA',
    'n/a',
    'None',
    '1234567890',
    '0123456789',
    '0000000',
    'XXXXXXXX',
    '....',
    'To be filled by O.E.M.',
    'Default string',
  ])('is the serial number "%s"', (serial) => {
    expect(isJunkSerial(serial)).toBe(true);
  });

  it.each(['SN1', 'CZ3451XYZ', '7RXK1Y3', '1234', '12345678X', 'NA123', '5678-1234', 'S12345678'])(
    'is not the serial number "%s"',
    (serial) => {
      expect(isJunkSerial(serial)).toBe(false);
    },
  );

  it.each([
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    'fefefefe-fefe-fefe-fefe-fefefefefefe',
    '03000200-0400-0500-0006-000700080009',
    '4c4c4544-0020-2010-8020-80c04f202020',
  ])('is the UUID %s', (uuid) => {
    expect(isJunkUuid(uuid)).toBe(true);
  });

  it('is hardly ever a UUID that somebody drew, nor the address of an interface', () => {
    fc.assert(fc.property(fc.uuid({ version: 4 }), (uuid) => !isJunkUuid(uuid)));
    expect(isJunkUuid('00000000-0000-0000-0000-ac1f6b8d9e10')).toBe(false);
    for (const mac of ['b8:3f:d2:00:00:01', '02:00:00:00:00:01']) expect(isJunkMac(mac)).toBe(false);
  });

  it.each(['00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff', '01:00:5e:00:00:01', '33:33:00:00:00:01'])('is the MAC address %s', (mac) => {
    expect(isJunkMac(mac)).toBe(true);
  });
});
