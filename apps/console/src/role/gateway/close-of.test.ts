import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { closeOf, passedOn } from './close-of.ts';

describe('how a stream ends', () => {
  it('says no more than the protocol has room for, and cuts no character', () => {
    const { code, reason } = closeOf(new StatusError('not_found', 'ü'.repeat(100)));
    expect([code, Buffer.byteLength(reason) <= 123, /^ü+…$/.test(reason)]).toEqual([4001, true, true]);
    expect(closeOf(new StatusError('unavailable', 'two\nlines'))).toEqual({ code: 4002, reason: 'two lines' });
  });

  it('tells nothing of a failure that nobody expected', () => {
    expect(closeOf(new TypeError('token is undefined'))).toEqual({ code: 4000, reason: 'the console failed' });
  });

  it.each([
    [4003, 'the lease is closed', { code: 4003, reason: 'the lease is closed' }],
    [1000, '', { code: 1000, reason: '' }],
    [1005, '', { code: 1000, reason: '' }],
    [1006, '', { code: 4002, reason: 'the connection to the provider was lost' }],
    [1015, '', { code: 4002, reason: 'the connection to the provider was lost' }],
  ])('passes on a close with %i as one that can be sent', (code, reason, passed) => {
    expect(passedOn(code, Buffer.from(reason))).toEqual(passed);
  });
});
