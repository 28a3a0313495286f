import { create } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { LeasesCreateTokenRequestSchema } from '@quartermaster/api/market';
import { fieldViolationsOf } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { wantedToken } from './token-rules.ts';

const asked = (change: object) => wantedToken(create(LeasesCreateTokenRequestSchema, { id: 'l', scopes: ['logs'], ...change }));

function faultyFields(change: object): readonly string[] {
  try {
    asked(change);
    return [];
  } catch (thrown) {
    return fieldViolationsOf(thrown).map(({ field }) => field);
  }
}

describe('a token that is wanted', () => {
  it('is for a quarter of an hour unless a time is given', () => {
    expect(asked({})).toEqual({ scopes: ['logs'], services: [], lifetimeMs: 900_000 });
    expect(asked({ services: ['web'], lifetime: durationFromMs(90_500) })).toMatchObject({
      services: ['web'],
      lifetimeMs: 90_500,
    });
  });

  it.each([
    [10_000, true],
    [86_400_000, true],
    [9_999, false],
    [86_400_001, false],
    [0, false],
    [-60_000, false],
    [2 ** 62, false],
  ])('may live for %d ms: %s', (ms, expected) => {
    expect(faultyFields({ lifetime: durationFromMs(ms) })).toEqual(expected ? [] : ['lifetime']);
  });

  it.each([
    [['send-manifest', 'get-manifest', 'logs', 'shell', 'events', 'status', 'restart', 'hostname-migrate', 'ip-migrate'], true],
    [[], false],
    [['logs', 'logs'], false],
    [['Logs'], false],
    [['logs', ''], false],
    [['constructor'], false],
  ])('may have the scopes %j: %s', (scopes, expected) => {
    expect(faultyFields({ scopes })).toEqual(expected ? [] : ['scopes']);
  });

  it.each([
    [[], true],
    [['web', 'a', 'db-1'], true],
    [Array.from({ length: 64 }, (_, index) => `s${index}`), true],
    [Array.from({ length: 65 }, (_, index) => `s${index}`), false],
    [['web', 'web'], false],
    [['Web'], false],
    [['1web'], false],
    [['web-'], false],
    [['web\n'], false],
    [[''], false],
  ])('may be for the services %j: %s', (services, expected) => {
    expect(faultyFields({ services })).toEqual(expected ? [] : ['services']);
  });

  it('that is wrong in several ways is told of all of them', () => {
    expect(faultyFields({ scopes: [], services: ['-'], lifetime: {} })).toEqual(['scopes', 'services', 'lifetime']);
  });
});
