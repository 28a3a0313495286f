import { StatusError, statusCodes } from '@quartermaster/kernel';
import { Status } from 'nice-grpc';
import { describe, expect, it } from 'vitest';
import { decodeError, encodeError, jsonOf } from './error-details.ts';
import { codeOfStatus, grpcStatus } from './grpc-status.ts';

describe('errors on the wire', () => {
  it.each(statusCodes)('%s has a gRPC status of its own and comes back as itself', (code) => {
    expect(codeOfStatus(grpcStatus[code])).toBe(code);
    const error = new StatusError(code, 'text', { details: { a: [1, 'x', null], big: 2n ** 60n } });
    const decoded = decodeError(grpcStatus[code], 'text', encodeError(error));
    expect(decoded).toMatchObject({ code, message: 'text', details: { a: [1, 'x', null], big: '1152921504606846976' } });
  });

  it('has a code for every status that other servers send', () => {
    const others = Object.values(Status).filter((status): status is Status => typeof status === 'number' && status !== Status.OK);
    expect(others.map(codeOfStatus).every((code) => statusCodes.includes(code))).toBe(true);
    expect(codeOfStatus(Status.DEADLINE_EXCEEDED)).toBe('unavailable');
    expect(codeOfStatus(Status.UNKNOWN)).toBe('internal');
  });

  it('takes the code of the status when details are missing, broken or of others', () => {
    expect(decodeError(Status.NOT_FOUND, 'x', undefined)).toMatchObject({ code: 'not_found', details: undefined });
    expect(decodeError(Status.NOT_FOUND, 'x', new Uint8Array([255, 255, 1]))).toMatchObject({ code: 'not_found' });
  });

  it('leaves out details that have no form in JSON', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(jsonOf(circle)).toBeUndefined();
    expect(decodeError(Status.INTERNAL, 'x', encodeError(new StatusError('internal', 'x', { details: circle })))).toMatchObject({
      details: undefined,
    });
  });
});
