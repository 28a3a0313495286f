import { describe, expect, it } from 'vitest';
import { loadScenario, shippedScenarios } from './load-scenario.ts';
import { parseScenario } from './parse-scenario.ts';

const good = `seed: 1
hardware:
  plain:
    cpu: epyc-7402
    sockets: 1
    memoryGiB: 64
racks:
  - name: rack-1
    nodes:
      - prefix: node
        hardware: plain
        count: 2
`;

const messageFor = (text: string): string => {
  try {
    parseScenario(text, 'test.yaml');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'accepted';
};

describe('parseScenario', () => {
  it('fills in what a file leaves out', () => {
    expect(parseScenario(good, 'test.yaml')).toMatchObject({
      racks: [{ zone: 'zone-1', nodes: [{ maxPods: 110, taints: [] }] }],
      tenants: [],
      timing: { heartbeatMs: 10_000 },
    });
  });

  it.each([
    ['a number that is none', good.replace('count: 2', 'count: many'), /^test\.yaml:12: racks\.0\.nodes\.0\.count: .*number/],
    ['a count of zero', good.replace('count: 2', 'count: 0'), /^test\.yaml:12: racks\.0\.nodes\.0\.count: /],
    ['a key that is not known', good.replace('sockets', 'socket'), /test\.yaml:5: hardware\.plain\.socket: is not a known key/],
    [
      'a CPU that is not in the catalog',
      good.replace('epyc-7402', 'z80'),
      /^test\.yaml:4: hardware\.plain\.cpu: CPU model "z80" .* use one of/,
    ],
    [
      'hardware that is not defined',
      good.replace('hardware: plain', 'hardware: fancy'),
      /^test\.yaml:11: .*hardware: "fancy" is not under hardware: define it, or use plain$/,
    ],
    ['YAML that is none', `${good}  - :\n - [`, /^test\.yaml:1[345]: /],
    ['a list instead of a file', '- seed: 1', /^test\.yaml:1: the file: /],
    ['nothing at all', '', /^test\.yaml:1: the file: /],
    [
      'a range of addresses that is none',
      `${good}loadBalancer:\n  pools:\n    - { name: p, addresses: [everything] }\n`,
      /^test\.yaml:15: .*address range "everything" must be/,
    ],
    [
      'a volume of a class that is not defined',
      `${good}tenants:\n  - prefix: t\n    count: 1\n    workloads:\n      - name: db\n        kind: StatefulSet\n        volume: { class: fast, size: 1Gi }\n`,
      /^test\.yaml:19: tenants\.0\.workloads\.0\.volume\.class: "fast" is not under storage\.classes/,
    ],
    ['more nodes than there are addresses', good.replace('count: 2', 'count: 40000'), /^test\.yaml:8: racks: 40000 nodes are more than/],
  ])('refuses %s, naming line, key and rule', (_what, text, expected) => {
    expect(messageFor(text)).toMatch(expected);
  });

  it('tells of every problem at once', () => {
    expect(messageFor(good.replace('sockets: 1', 'sockets: 0').replace('count: 2', 'count: 0')).split('\n')).toHaveLength(2);
  });
});

describe('loadScenario', () => {
  it('reads every shipped scenario', async () => {
    expect(await shippedScenarios()).toEqual(['5000-nodes', 'gpu-farm', 'small']);
    for (const name of await shippedScenarios()) expect((await loadScenario(name)).seed).toBeGreaterThan(0);
  });

  it('says which there are when there is none of that name', async () => {
    await expect(loadScenario('nothing')).rejects.toMatchObject({
      code: 'not_found',
      message: 'scenario "nothing" cannot be read: use one of 5000-nodes, gpu-farm, small, or the path of a file',
    });
  });
});
