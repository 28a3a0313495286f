import { expect, it } from 'vitest';
import { answerFailure, endFailure } from './gateway-failure.ts';

const uri = 'https://gateway.example:8443';

it.each([
  [400, 'invalid_argument'],
  [401, 'unauthenticated'],
  [403, 'permission_denied'],
  [404, 'not_found'],
  [413, 'invalid_argument'],
  [422, 'invalid_argument'],
  [429, 'resource_exhausted'],
  [503, 'unavailable'],
  [302, 'unavailable'],
])('takes HTTP status %i for %s', (status, code) => {
  expect(answerFailure(uri, status, { message: 'no' })).toMatchObject({ code, message: `the gateway ${uri} refused: no` });
});

it('says the status where nothing else is said, and has a line for each error', () => {
  expect(answerFailure(uri, 502, {}).message).toBe(`the gateway ${uri} refused: it answered with HTTP status 502`);
  expect(answerFailure(uri, 422, { message: 'refused', errors: ['one', { two: 2 }] }).message).toBe(
    `the gateway ${uri} refused: refused\none\n{"two":2}`,
  );
});

it.each([
  [4000, 'unavailable', 'the gateway failed: x'],
  [4001, 'not_found', 'the gateway does not have this lease: x'],
  [4002, 'unavailable', 'the gateway cannot reach what it needs for this: x'],
  [4003, 'permission_denied', 'your right to it ended: x'],
  [4008, 'resource_exhausted', 'the gateway ended it at a limit: x'],
  [1006, 'unavailable', 'the connection to the gateway broke: x'],
])('takes close code %i for %s', (code, status, message) => {
  expect(endFailure({ code, reason: 'x' })).toMatchObject({ code: status, message });
});

it.each([1000, 1005])('takes close code %i for the end', (code) => {
  expect(endFailure({ code, reason: '' })).toBeUndefined();
});
