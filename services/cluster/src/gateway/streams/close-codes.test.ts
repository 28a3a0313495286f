import { StatusError, statusCodes } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { closeCodes, StreamEnd, streamEndOf } from './close-codes.ts';

describe('the end of a stream', () => {
  it('has a code for what was thrown', () => {
    const codes = Object.fromEntries(statusCodes.map((code) => [code, streamEndOf(new StatusError(code, 'why')).code]));
    expect(codes).toEqual({
      ...{ invalid_argument: 1008, unauthenticated: 4000, permission_denied: 4000, not_found: 4001, already_exists: 4000, aborted: 4000 },
      ...{ failed_precondition: 4002, resource_exhausted: 4008, unavailable: 4002, internal: 4000 },
    });
    expect(streamEndOf(new StatusError('not_found', 'no such lease')).message).toBe('no such lease');
  });

  it('is what it was already', () => {
    const end = new StreamEnd(closeCodes.rightEnded, 'the lease is closed');
    expect(streamEndOf(end)).toBe(end);
  });

  it('says nothing of bugs, and of what the cluster says', () => {
    const failures = statusCodes.map((code) => new StatusError(code, 'secret at 10.0.0.7', { details: { kind: 'connection' } }));
    for (const thrown of [new Error('secret'), new StatusError('internal', 'secret'), 'secret', undefined, ...failures]) {
      const { code, message } = streamEndOf(thrown);
      expect(message).not.toMatch(/secret|10\.0/);
      expect([closeCodes.internal, closeCodes.unavailable]).toContain(code);
    }
    expect(streamEndOf(failures[statusCodes.indexOf('unavailable')])).toMatchObject({
      code: 4002,
      message: expect.stringContaining('try again'),
    });
  });
});
