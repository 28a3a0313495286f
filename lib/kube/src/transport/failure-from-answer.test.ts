import { isTerminal, retryAfterMsOf } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { failureOf, isFailure } from './failure.ts';
import { connectionError, errorFromAnswer, type KubeStatus, timeoutError, unreadableError } from './failure-from-answer.ts';

const what = 'get pods default/web';

function answer(code: number, status: KubeStatus = {}, retryAfter?: string): ReturnType<typeof errorFromAnswer> {
  return errorFromAnswer(what, code, { kind: 'Status', code, ...status }, retryAfter);
}

describe('the failure of an answer', () => {
  const named = { details: { name: 'web' } };

  it.each([
    [400, {}, 'bad-request', 'invalid_argument'],
    [406, {}, 'bad-request', 'invalid_argument'],
    [415, {}, 'bad-request', 'invalid_argument'],
    [401, {}, 'unauthorized', 'unauthenticated'],
    [403, {}, 'forbidden', 'permission_denied'],
    [404, named, 'not-found', 'not_found'],
    [404, {}, 'kind-missing', 'not_found'],
    [404, { details: { name: '' } }, 'kind-missing', 'not_found'],
    [409, { reason: 'AlreadyExists' }, 'already-exists', 'already_exists'],
    [409, { reason: 'Conflict' }, 'conflict', 'aborted'],
    [409, { reason: 'Conflict', details: { causes: [{ reason: 'FieldManagerConflict' }] } }, 'conflict', 'failed_precondition'],
    [410, { reason: 'Expired' }, 'expired', 'failed_precondition'],
    [422, { reason: 'Invalid' }, 'invalid', 'invalid_argument'],
    [429, {}, 'throttled', 'unavailable'],
    [500, {}, 'server', 'unavailable'],
    [503, {}, 'server', 'unavailable'],
    [504, {}, 'server', 'unavailable'],
    [301, {}, 'other', 'internal'],
    [418, {}, 'other', 'internal'],
  ] as const)('%i with %j is %s and carries the code %s', (code, status, kind, statusCode) => {
    const error = answer(code, status);
    expect(failureOf(error)?.kind).toBe(kind);
    expect(error.code).toBe(statusCode);
  });

  it('says what was asked and what the server said', () => {
    expect(answer(403, { message: 'pods "web" is forbidden' }).message).toBe('get pods default/web: pods "web" is forbidden');
  });

  it('says the HTTP status when the server said nothing', () => {
    expect(errorFromAnswer(what, 502, undefined, undefined).message).toBe('get pods default/web: HTTP status 502');
  });

  it('asks for the CRD when the whole kind is missing', () => {
    expect(errorFromAnswer(what, 404, undefined, undefined).message).toContain('is its CRD installed?');
    expect(answer(404, named).message).not.toContain('CRD');
  });

  it.each([403, 409, 422])('%i carries the complaints about single fields, with absent parts as empty texts', (code) => {
    const causes = [{ field: 'spec.replicas', reason: 'FieldValueInvalid', message: 'too few' }, { message: 'only a message' }];
    expect(failureOf(answer(code, { details: { causes } }))).toMatchObject({
      causes: [
        { field: 'spec.replicas', reason: 'FieldValueInvalid', message: 'too few' },
        { field: '', reason: '', message: 'only a message' },
      ],
    });
  });

  it('is terminal only where the same request can never succeed', () => {
    const terminal = [400, 415, 422].map((code) => isTerminal(answer(code)));
    const passing = [401, 403, 404, 409, 410, 429, 500].map((code) => isTerminal(answer(code)));
    expect([...terminal, ...passing]).toEqual([true, true, true, false, false, false, false, false, false, false]);
  });

  it.each([
    ['the header', '7', {}, 7_000],
    ['the body, where the header is lost', undefined, { details: { retryAfterSeconds: 3 } }, 3_000],
    ['the body, where the header is a date', 'Wed, 21 Oct 2015 07:28:00 GMT', { details: { retryAfterSeconds: 3 } }, 3_000],
    ['the header before the body', '7', { details: { retryAfterSeconds: 3 } }, 7_000],
    ['nothing, for zero', '0', {}, undefined],
    ['nothing, where neither says', undefined, {}, undefined],
  ] as const)('takes the time to wait from %s', (_, header, status, expected) => {
    expect(retryAfterMsOf(answer(429, status, header))).toBe(expected);
    expect(retryAfterMsOf(answer(503, status, header))).toBe(expected);
  });

  it('has no time to wait for other answers', () => {
    expect(retryAfterMsOf(answer(409, {}, '7'))).toBeUndefined();
    expect(retryAfterMsOf(new Error('other'))).toBeUndefined();
  });
});

describe('the failure without an answer', () => {
  it('of a connection finds the errno anywhere in the chain of causes', () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const error = connectionError(what, new Error('fetch failed', { cause: refused }));
    expect(failureOf(error)).toEqual({ kind: 'connection', errno: 'ECONNREFUSED' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('of a connection may have no errno', () => {
    expect(failureOf(connectionError(what, 'broken'))).toEqual({ kind: 'connection', errno: undefined });
  });

  it('of a time limit tells the limit', () => {
    expect(failureOf(timeoutError(what, 250))).toEqual({ kind: 'timeout', afterMs: 250 });
    expect(timeoutError(what, 250).message).toContain('within 250 ms');
  });

  it('of a body that is no JSON is worth another try', () => {
    expect(unreadableError(what, new SyntaxError('x'))).toMatchObject({ code: 'unavailable', details: { kind: 'other' } });
  });
});

describe('isFailure', () => {
  it('knows the kinds it is asked for and no others', () => {
    expect(isFailure(answer(409), 'expired', 'conflict')).toBe(true);
    expect(isFailure(answer(409), 'expired')).toBe(false);
  });

  it('is false for errors of other libraries', () => {
    expect(isFailure(new Error('conflict'), 'conflict')).toBe(false);
    expect(isFailure({ details: { kind: 'conflict' } }, 'conflict')).toBe(false);
    expect(isFailure(undefined, 'conflict')).toBe(false);
  });
});
