/**
 * Reads the inventory's configuration file:
 *
 *   version: v1
 *   cluster_storage: [default, beta2]
 *   exclude:
 *     nodes: ["^test.*"]
 *     node_storage:
 *       - node_filter: "^test2.*"
 *         classes: [default]
 *   tolerated_taints: [nvidia.com/gpu, "dedicated=tenants:NoSchedule"]
 *   health_signals:
 *     - { condition: FrequentDockerRestart, holds: nothing }
 *     - { label: example.com/burn-in, is: [running], holds: gpus }
 *
 * Every key may be left out. Patterns are those of RE2 and match anywhere in a node's name unless anchored. `cluster_storage: []` offers no class
 * at all; without the key, classes are offered that carry the label akash.network=true or have the name of a performance class.
 */
import { messageOf, nearest, StatusError } from '@quartermaster/kernel';
import { parseDocument } from 'yaml';
import { defaultHealthSignals, type HealthSignal, type Held, kubeletConditions } from './health-signal.ts';
import { defaultToleratedTaints, type InventoryConfig, type ToleratedTaint } from './inventory-config.ts';
import { Pattern } from './pattern.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const classPattern = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * Throws `invalid_argument` naming the key, the rule and the way out. A text that says nothing is refused, too: it is more likely a file that is
 * just being written than somebody's wish to sell what was excluded.
 */
export function parseInventoryConfig(text: string): InventoryConfig {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) throw refusal('', `is not YAML: ${error.message.split('\n')[0]}`);
  const content: unknown = document.toJS();
  if (content === null || content === undefined) throw refusal('', 'is empty: write "version: v1" to sell by the defaults');
  const keys = ['version', 'cluster_storage', 'exclude', 'tolerated_taints', 'health_signals'];
  const root = mapping(content, '', keys);
  requireVersion(root.get('version'));
  const clusterStorage = root.has('cluster_storage') ? classes(root.get('cluster_storage'), 'cluster_storage') : undefined;
  const exclude = mapping(root.get('exclude') ?? {}, 'exclude', ['nodes', 'node_storage']);
  return {
    clusterStorage,
    excludedNodes: list(exclude.get('nodes') ?? [], 'exclude.nodes').map((source, i) => pattern(source, `exclude.nodes[${i}]`)),
    excludedNodeStorage: list(exclude.get('node_storage') ?? [], 'exclude.node_storage').map((rule, i) =>
      nodeStorage(rule, `exclude.node_storage[${i}]`, clusterStorage),
    ),
    toleratedTaints: root.has('tolerated_taints')
      ? list(root.get('tolerated_taints'), 'tolerated_taints').map((taint, i) => toleratedTaint(taint, `tolerated_taints[${i}]`))
      : defaultToleratedTaints,
    healthSignals: [
      ...list(root.get('health_signals') ?? [], 'health_signals').map((row, i) => healthSignal(row, `health_signals[${i}]`)),
      ...defaultHealthSignals,
    ],
  };
}

function requireVersion(value: unknown): void {
  if (value === undefined) return;
  if (!/^v?1(\.\d+){0,2}$/.test(String(value))) throw refusal('version', `${JSON.stringify(value)} is not known: write v1`);
}

function nodeStorage(value: unknown, path: string, offered: readonly string[] | undefined): InventoryConfig['excludedNodeStorage'][number] {
  const rule = mapping(value, path, ['node_filter', 'classes']);
  if (!rule.has('node_filter')) throw refusal(`${path}.node_filter`, 'is missing: write a pattern of node names');
  const excluded = classes(rule.get('classes'), `${path}.classes`);
  const unknown = excluded.find((name) => offered?.includes(name) === false);
  if (unknown !== undefined) {
    const meant = nearest(unknown, offered ?? []);
    const hint = meant === undefined ? 'list it there or remove it here' : `did you mean ${meant}?`;
    throw refusal(`${path}.classes`, `names ${unknown}, which is not under cluster_storage: ${hint}`);
  }
  return { nodeFilter: pattern(rule.get('node_filter'), `${path}.node_filter`), classes: excluded };
}

function toleratedTaint(value: unknown, path: string): ToleratedTaint {
  const found = typeof value === 'string' ? /^([^=:\s]+)(=([^:\s]*))?(:([A-Za-z]+))?$/.exec(value) : null;
  if (found === null) throw refusal(path, 'must be a taint as key, key=value or key=value:Effect');
  const [, key = '', , taintValue, , effect] = found;
  if (effect !== undefined && !effects.includes(effect)) throw refusal(path, `has the effect ${effect}: use ${effects.join(', ')} or none`);
  return { key, value: taintValue, effect };
}

const signalKinds = ['condition', 'taint', 'label'] as const;
const heldThings: readonly Held[] = ['node', 'gpus', 'nothing'];

function healthSignal(value: unknown, path: string): HealthSignal {
  const row = mapping(value, path, [...signalKinds, 'is', 'holds']);
  const [kind, ...others] = signalKinds.filter((each) => row.has(each));
  if (kind === undefined || others.length > 0) throw refusal(path, 'must have one of condition, taint and label');
  const name = row.get(kind);
  if (typeof name !== 'string' || !/^\S+$/.test(name)) throw refusal(`${path}.${kind}`, 'must be a name, in which * stands for any text');
  if (kind === 'condition' && kubeletConditions.has(name))
    throw refusal(`${path}.condition`, `${name} is the kubelet's own: it always counts`);
  const holds = heldThings.find((each) => each === row.get('holds'));
  if (holds === undefined) throw refusal(`${path}.holds`, `must be one of ${heldThings.join(', ')}`);
  const isDefault = kind === 'condition' && holds !== 'nothing' ? ['True'] : undefined;
  return { kind, name, is: row.has('is') ? signalValues(row.get('is'), kind, `${path}.is`) : isDefault, holds };
}

/** YAML makes truth values of what conditions write in words. */
function signalValues(value: unknown, kind: HealthSignal['kind'], path: string): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map((each: unknown) => {
    if (typeof each === 'boolean' && kind === 'condition') return each ? 'True' : 'False';
    if (typeof each !== 'object' && each !== undefined) return String(each);
    throw refusal(path, kind === 'condition' ? 'must be True, False or Unknown, or a list of them' : 'must be a value, or a list of them');
  });
}

function classes(value: unknown, path: string): readonly string[] {
  const names = list(value, path).map((name, i) => {
    if (typeof name === 'string' && classPattern.test(name)) return name;
    throw refusal(`${path}[${i}]`, 'must be the name of a StorageClass');
  });
  return [...new Set(names)].toSorted();
}

function pattern(value: unknown, path: string): Pattern {
  if (typeof value !== 'string') throw refusal(path, 'must be a pattern of node names, as text');
  try {
    return new Pattern(value);
  } catch (thrown) {
    throw refusal(path, messageOf(thrown));
  }
}

function list(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refusal(path, 'must be a list');
  return value;
}

function mapping(value: unknown, path: string, keys: readonly string[]): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refusal(path, 'must be a mapping of keys to values');
  const entries = new Map(Object.entries(value));
  for (const key of entries.keys()) {
    if (keys.includes(key)) continue;
    const meant = nearest(key, keys);
    const hint = meant === undefined ? `use ${keys.join(', ')}` : `did you mean ${meant}?`;
    throw refusal(path === '' ? key : `${path}.${key}`, `is not a known key: ${hint}`);
  }
  return entries;
}

function refusal(path: string, rule: string): StatusError {
  return new StatusError('invalid_argument', `inventory configuration${path === '' ? '' : ` ${path}`}: ${rule}`);
}
