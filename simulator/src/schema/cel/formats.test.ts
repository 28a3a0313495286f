import { describe, expect, it } from 'vitest';
import { hasFormat } from './formats.ts';

describe('a format', () => {
  it.each([
    ['date', '2026-02-28', '2026-02-30'],
    ['date-time', '2026-01-01T00:00:00Z', '2026-01-01'],
    ['duration', '1h30m', '1 fortnight'],
    ['uri', 'https://a.example', 'no uri'],
    ['email', 'a@b.example', 'a.example'],
    ['hostname', 'a.example', '-a'],
    ['ipv4', '10.0.0.1', '10.0.0.300'],
    ['ipv6', 'fe80::1', '10.0.0.1'],
    ['cidr', '10.0.0.0/8', '10.0.0.0/64'],
    ['mac', '01:23:45:67:89:ab', '01:23:45:67:89'],
    ['byte', 'aGk=', 'a'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123e4567'],
    ['uuid4', '123e4567-e89b-42d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000'],
    ['hexcolor', '#a0b1c2', '#xyz'],
    ['k8s-short-name', 'a-b', 'a.b'],
    ['k8s-long-name', 'a.b', 'A'],
  ])('%s accepts %s and refuses %s', (format, good, bad) => {
    expect(hasFormat(format, good)).toBe(true);
    expect(hasFormat(format, bad)).toBe(false);
  });

  it('that nobody knows accepts everything', () => {
    expect(hasFormat('whatever', 'x')).toBe(true);
  });
});
