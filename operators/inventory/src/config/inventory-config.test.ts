import { describe, expect, it } from 'vitest';
import { classesOnNode, defaultInventoryConfig, excludingPattern, isTolerated, storageClassRefusal } from './inventory-config.ts';
import { parseInventoryConfig } from './parse-inventory-config.ts';

const full = `
version: v1
cluster_storage: [default, beta2]
exclude:
  nodes: ["^test.*"]
  node_storage:
    - node_filter: "^test2.*"
      classes: [default]
tolerated_taints: [nvidia.com/gpu, "dedicated=tenants", "spot:NoSchedule", "x=:NoExecute"]
`;

describe('parseInventoryConfig', () => {
  it('reads every key', () => {
    const config = parseInventoryConfig(full);
    expect(config.clusterStorage).toEqual(['beta2', 'default']);
    expect(config.excludedNodes.map(({ source }) => source)).toEqual(['^test.*']);
    expect(config.excludedNodeStorage.map(({ nodeFilter, classes }) => [nodeFilter.source, classes])).toEqual([['^test2.*', ['default']]]);
    expect(config.toleratedTaints).toEqual([
      { key: 'nvidia.com/gpu' },
      { key: 'dedicated', value: 'tenants' },
      { key: 'spot', effect: 'NoSchedule' },
      { key: 'x', value: '', effect: 'NoExecute' },
    ]);
  });

  it('puts rows of health signals before those that are shipped', () => {
    const { healthSignals } = parseInventoryConfig(`
health_signals:
  - { condition: FrequentDockerRestart, holds: nothing }
  - { condition: BurnIn, holds: gpus }
  - { condition: FabricReady, is: False, holds: node }
  - { label: example.com/rma, is: [open, 7], holds: node }
  - { taint: "example.com/*", holds: gpus }
`);
    expect(healthSignals.slice(0, 5)).toEqual([
      { kind: 'condition', name: 'FrequentDockerRestart', is: undefined, holds: 'nothing' },
      { kind: 'condition', name: 'BurnIn', is: ['True'], holds: 'gpus' },
      { kind: 'condition', name: 'FabricReady', is: ['False'], holds: 'node' },
      { kind: 'label', name: 'example.com/rma', is: ['open', '7'], holds: 'node' },
      { kind: 'taint', name: 'example.com/*', is: undefined, holds: 'gpus' },
    ]);
    expect(healthSignals.slice(5)).toEqual(defaultInventoryConfig.healthSignals);
  });

  it.each(['{}', 'version: v1', 'version: 1.0', 'exclude:\n'])('takes defaults for what is left out of %j', (text) => {
    expect(parseInventoryConfig(text)).toEqual(defaultInventoryConfig);
  });

  it.each([
    ['', 'is empty: write "version: v1" to sell by the defaults'],
    ['# nothing\n', 'is empty'],
    ['---\n', 'is empty'],
    ['cluster_storge: []', 'cluster_storge: is not a known key: did you mean cluster_storage?'],
    ['exclude: { node: [] }', 'exclude.node: is not a known key: did you mean nodes?'],
    ['zzzzzzzzzz: 1', 'use version, cluster_storage, exclude, tolerated_taints, health_signals'],
    ['version: v2', 'version: "v2" is not known: write v1'],
    ['cluster_storage: beta2', 'cluster_storage: must be a list'],
    ['cluster_storage: [Beta 2]', 'cluster_storage[0]: must be the name of a StorageClass'],
    ['cluster_storage:', 'cluster_storage: must be a list'],
    ['exclude: { nodes: [""] }', 'exclude.nodes[0]: pattern "" is empty'],
    ['exclude: { nodes: ["(a+"] }', 'exclude.nodes[0]: pattern "(a+" has a ( without a )'],
    ['exclude: { nodes: [7] }', 'exclude.nodes[0]: must be a pattern'],
    ['exclude: { node_storage: [{ classes: [a] }] }', 'exclude.node_storage[0].node_filter: is missing'],
    ['exclude: { node_storage: [{ node_filter: a }] }', 'exclude.node_storage[0].classes: must be a list'],
    [
      'cluster_storage: [beta2]\nexclude: { node_storage: [{ node_filter: a, classes: [beta3] }] }',
      'names beta3, which is not under cluster_storage: did you mean beta2?',
    ],
    ['tolerated_taints: ["a b"]', 'tolerated_taints[0]: must be a taint'],
    ['tolerated_taints: ["a:Never"]', 'has the effect Never'],
    ['health_signals: { condition: A }', 'health_signals: must be a list'],
    ['health_signals: [{ holds: node }]', 'health_signals[0]: must have one of condition, taint and label'],
    ['health_signals: [{ condition: A, taint: b, holds: node }]', 'health_signals[0]: must have one of condition, taint and label'],
    ['health_signals: [{ condition: A }]', 'health_signals[0].holds: must be one of node, gpus, nothing'],
    ['health_signals: [{ condition: A, holds: gpu }]', 'health_signals[0].holds: must be one of node, gpus, nothing'],
    ['health_signals: [{ condition: Ready, holds: nothing }]', "health_signals[0].condition: Ready is the kubelet's own"],
    ['health_signals: [{ condition: "", holds: node }]', 'health_signals[0].condition: must be a name'],
    ['health_signals: [{ label: a, is: [{}], holds: node }]', 'health_signals[0].is: must be a value'],
    ['[]', 'must be a mapping'],
    ['a: [', 'is not YAML'],
  ])('refuses %j and says what to do', (text, message) => {
    expect(() => parseInventoryConfig(text)).toThrow(message);
  });
});

describe('InventoryConfig', () => {
  const config = parseInventoryConfig(full);

  it('excludes nodes by a pattern anywhere in the name', () => {
    expect(excludingPattern(config, 'test-1')).toBe('^test.*');
    expect(excludingPattern(config, 'a-test')).toBeUndefined();
  });

  it('takes classes from certain nodes, however many of them do not exist there', () => {
    expect(classesOnNode(config, 'test2-a', ['beta2', 'default'])).toEqual(['beta2']);
    expect(classesOnNode(config, 'test2-a', ['beta3'])).toEqual(['beta3']);
    expect(classesOnNode(config, 'other', ['beta2', 'default'])).toEqual(['beta2', 'default']);
  });

  it('tolerates taints by key, and by value and effect where they are given', () => {
    const taint = (key: string, value: string, effect: string) => isTolerated(config, { key, value, effect });
    expect(taint('nvidia.com/gpu', 'present', 'NoSchedule')).toBe(true);
    expect(taint('dedicated', 'tenants', 'NoExecute')).toBe(true);
    expect(taint('dedicated', 'others', 'NoSchedule')).toBe(false);
    expect(taint('spot', 'true', 'NoSchedule')).toBe(true);
    expect(taint('spot', 'true', 'NoExecute')).toBe(false);
    expect(taint('amd.com/gpu', '', 'NoSchedule')).toBe(false);
    expect(isTolerated(defaultInventoryConfig, { key: 'amd.com/gpu', value: '', effect: 'NoSchedule' })).toBe(true);
  });

  it('offers exactly the listed classes when there is a list', () => {
    expect(storageClassRefusal(config, { name: 'beta2', labels: {} })).toBeUndefined();
    expect(storageClassRefusal(config, { name: 'beta3', labels: { 'akash.network': 'true' } })?.code).toBe('ClassNotListed');
    expect(storageClassRefusal(parseInventoryConfig('cluster_storage: []'), { name: 'default', labels: {} })?.code).toBe('ClassNotListed');
  });

  it('offers labelled classes and those named after a performance class when there is no list', () => {
    const refusal = (name: string, labels: Record<string, string> = {}) =>
      storageClassRefusal(defaultInventoryConfig, { name, labels })?.code;
    expect(refusal('beta3')).toBeUndefined();
    expect(refusal('fast', { 'akash.network': 'true' })).toBeUndefined();
    expect(refusal('fast')).toBe('ClassNotLabelled');
    expect(refusal('beta3', { 'akash.network': 'false' })).toBe('ClassOptedOut');
    expect(refusal('ram')).toBe('ClassNotLabelled');
  });
});
