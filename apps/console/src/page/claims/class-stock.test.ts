import { Environment } from '@marcbachmann/cel-js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimRefusal, refusalRules } from './claim-refusal.ts';
import { classParts } from './class-stock.ts';

const enums = [
  'HOST_STATE_READY',
  'HOST_STATE_FAILED',
  'HOST_STATE_PROGRESSING',
  'HOST_CONDITION_TYPE_DISPUTED',
  'HOST_CONDITION_TYPE_DEGRADED',
  'CONDITION_STATUS_TRUE',
  'CONDITION_STATUS_FALSE',
] as const;

const conditions = fc.subarray([
  { type: 'HOST_CONDITION_TYPE_DISPUTED', status: 'CONDITION_STATUS_TRUE' },
  { type: 'HOST_CONDITION_TYPE_DEGRADED', status: 'CONDITION_STATUS_TRUE' },
  { type: 'HOST_CONDITION_TYPE_DISPUTED', status: 'CONDITION_STATUS_FALSE' },
]);

const hosts = fc.record({
  metadata: fc.constantFrom({}, { deletion_timestamp: '2026-01-01T00:00:00Z' }),
  spec: fc.record(
    {
      class: fc.constantFrom('gpu', ''),
      bmc: fc.constantFrom({ url: 'https://bmc' }, { url: '' }),
      boot_mac: fc.constantFrom('b8:3f:d2:00:00:01', ''),
    },
    { requiredKeys: ['class', 'boot_mac'] },
  ),
  status: fc.record({
    cluster: fc.constantFrom('', 'c'),
    host_pool: fc.constantFrom('', 'p'),
    state: fc.constantFrom('HOST_STATE_READY', 'HOST_STATE_FAILED', 'HOST_STATE_PROGRESSING'),
    conditions,
  }),
});

const environment = enums.reduce(
  (known, name) => known.registerVariable(name, 'string'),
  new Environment().registerVariable('this', 'dyn'),
);
const matches = (filter: string, host: unknown): boolean =>
  environment.evaluate(filter, { ...Object.fromEntries(enums.map((name) => [name, name])), this: host }) === true;
const partsOf = (host: unknown, id = 'gpu'): readonly string[] =>
  Object.entries(classParts).flatMap(([name, filterOf]) => (matches(filterOf(id), host) ? [name] : []));

describe('the hosts of a class', () => {
  it('are each in one part, and free where nothing keeps them from being claimed', () => {
    fc.assert(
      fc.property(hosts, (host) => {
        const parts = partsOf(host, host.spec.class);
        expect(parts).toHaveLength(1);
        if (host.spec.class !== '') expect(parts[0] === 'free').toBe(claimRefusal(host) === undefined);
      }),
    );
  });

  it.each(Object.entries(refusalRules))('are refused for %s by the filter and by the code alike', (_, { applies, filter }) => {
    fc.assert(
      fc.property(hosts, (host) => {
        expect(matches(filter, host)).toBe(applies(host));
      }),
    );
  });

  it('are none of another class', () => {
    fc.assert(
      fc.property(hosts, (host) => {
        expect(partsOf(host, 'cpu')).toEqual([]);
      }),
    );
  });
});
