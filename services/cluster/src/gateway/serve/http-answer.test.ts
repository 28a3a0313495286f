import type { ServerResponse } from 'node:http';
import { invalidFields, StatusError, statusCodes } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { errorBody, errorHeaders, rawError, refusalOf, sendAnswer, sendError, statusOf, TooLarge } from './http-answer.ts';

const refusedManifest = new StatusError('failed_precondition', 'a; b', {
  details: {
    fieldViolations: [
      { field: 'manifest', description: 'a' },
      { field: 'manifest', description: 'b' },
    ],
  },
});

function responded(send: (response: ServerResponse) => void, state: Partial<ServerResponse> = {}) {
  const sent: unknown[] = [];
  const response = {
    ...{ headersSent: false, destroyed: false },
    ...state,
    writeHead: (status: number, headers: object) => {
      sent.push(status, headers);
      return response;
    },
    end: (body: string) => void sent.push(body),
  };
  send(response as unknown as ServerResponse);
  return sent;
}

describe('an answer', () => {
  it('is JSON that nobody keeps, with its length in bytes', () => {
    expect(responded((response) => sendAnswer(response, { json: { a: 'ä' } }))).toEqual([
      200,
      { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'content-type': 'application/json', 'content-length': 11 },
      '{"a":"ä"}\n',
    ]);
    expect(responded((response) => sendAnswer(response, { text: '[ ]' }))[2]).toBe('[ ]\n');
    expect(responded((response) => sendAnswer(response, { json: {}, status: 202 }))[0]).toBe(202);
  });

  it('is not sent where nobody is, or one was', () => {
    expect(responded((response) => sendAnswer(response, { json: {} }), { destroyed: true })).toEqual([]);
    expect(responded((response) => sendError(response, new StatusError('not_found', 'x')), { headersSent: true })).toEqual([]);
  });
});

describe('a refusal', () => {
  it('has the status of its code, among those that clients of the ecosystem know', () => {
    const statuses = statusCodes.map((code) => [code, statusOf(new StatusError(code, ''))]);
    expect(Object.fromEntries(statuses)).toEqual({
      ...{ invalid_argument: 400, unauthenticated: 401, permission_denied: 403, not_found: 404, already_exists: 422, aborted: 503 },
      ...{ failed_precondition: 422, resource_exhausted: 429, unavailable: 503, internal: 500 },
    });
    expect(statusOf(new TooLarge(5))).toBe(413);
  });

  it('of a manifest says all that is wrong with it', () => {
    expect([statusOf(refusedManifest), errorBody(refusedManifest)]).toEqual([422, { message: 'a; b', errors: ['a', 'b'] }]);
    const malformed = invalidFields([{ field: 'manifest', description: 'is empty' }]);
    expect([statusOf(malformed), errorBody(malformed)]).toEqual([400, { message: 'field "manifest": is empty' }]);
  });

  it('says nothing of what the cluster says', () => {
    const said = new StatusError('invalid_argument', 'update manifests: webhook at 10.0.0.7', { details: { kind: 'invalid' } });
    const told = refusalOf(said);
    expect([statusOf(told), JSON.stringify(errorBody(told))]).toEqual([503, expect.not.stringContaining('10.0.0.7')]);
  });

  it('of a bug says nothing of it', () => {
    for (const bug of [new Error('secret'), new StatusError('internal', 'secret'), 'secret', undefined]) {
      const error = refusalOf(bug);
      expect(JSON.stringify([statusOf(error), errorBody(error), errorHeaders(error), rawError(error, 'x')])).not.toContain('secret');
    }
    const expected = new StatusError('not_found', 'x');
    expect(refusalOf(expected)).toBe(expected);
  });

  it('says when to try again, and what to show', () => {
    expect(errorHeaders(new StatusError('resource_exhausted', '', { details: { retryAfterMs: 1_001 } }))).toEqual({ 'retry-after': '2' });
    expect(errorHeaders(new StatusError('unauthenticated', ''))).toEqual({ 'www-authenticate': 'Bearer' });
  });

  it('can be written before there is a response, and breaks no line', () => {
    const [head = '', body = ''] = rawError(new StatusError('not_found', 'a\r\nset-cookie: x\r\n\r\n<ä>'), 'Refused').split(
      /\r\n\r\n(.*)/s,
    );
    expect(head.split('\r\n')).toEqual([
      'HTTP/1.1 404 Refused',
      ...['cache-control: no-store', 'x-content-type-options: nosniff', 'content-type: application/json'],
      ...[`content-length: ${Buffer.byteLength(body)}`, 'connection: close'],
    ]);
    expect(JSON.parse(body)).toEqual({ message: 'a\r\nset-cookie: x\r\n\r\n<ä>' });
  });
});
