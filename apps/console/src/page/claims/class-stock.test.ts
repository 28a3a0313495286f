import { Environment } from '@marcbachmann/cel-js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classParts } from './class-stock.ts';

const enums = {
  HOST_STATE_READY: 'ready',
  HOST_STATE_FAILED: 'failed',
  HOST_STATE_PROGRESSING: 'progressing',
  HOST_CONDITION_TYPE_DISPUTED: 'disputed',
  CONDITION_STATUS_TRUE: 'true',
};

const conditions = fc.subarray([
  { type: 'disputed', status: 'true' },
  { type: 'degraded', status: 'true' },
  { type: 'disputed', status: 'false' },
]);

const hosts = fc.record({
  metadata: fc.constantFrom({}, { deletion_timestamp: '2026-01-01T00:00:00Z' }),
  spec: fc.record({
    class: fc.constant('gpu'),
    bmc: fc.constantFrom({ url: 'https://bmc' }, { url: '' }),
    boot_mac: fc.constantFrom('b8:3f:d2:00:00:01', ''),
  }),
  status: fc.record({
    cluster: fc.constantFrom('', 'c'),
    host_pool: fc.constantFrom('', 'p'),
    state: fc.constantFrom('ready', 'failed', 'progressing'),
    conditions,
  }),
});

const environment = Object.keys(enums).reduce(
  (known, name) => known.registerVariable(name, 'string'),
  new Environment().registerVariable('this', 'dyn'),
);
const partsOf = (host: unknown, id = 'gpu'): readonly string[] =>
  Object.entries(classParts).flatMap(([name, filterOf]) =>
    environment.evaluate(filterOf(id), { ...enums, this: host }) === true ? [name] : [],
  );

describe('the hosts of a class', () => {
  it('are each in one part, and free where the service would give them away', () => {
    fc.assert(
      fc.property(hosts, (host) => {
        const { cluster, host_pool: pool, state, conditions: said } = host.status;
        const isDisputed = said.some(({ type, status }) => type === 'disputed' && status === 'true');
        const isComplete = host.spec.bmc.url !== '' && host.spec.boot_mac !== '';
        const isStaying = !('deletion_timestamp' in host.metadata);
        const isFree = cluster === '' && pool === '' && state === 'ready' && !isDisputed && isComplete && isStaying;
        const parts = partsOf(host);
        expect(parts).toHaveLength(1);
        expect(parts[0] === 'free').toBe(isFree);
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
