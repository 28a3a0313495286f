import { expect, it } from 'vitest';
import { shortId } from './short-id.ts';

it('keeps both ends of a long id and all of a short one', () => {
  expect(shortId('GPU-12345678-1234-1234-1234-123456789012')).toBe('GPU-12345678…3456789012');
  expect(shortId('node-1/0000:17:00.0')).toBe('node-1/0000:17:00.0');
});
