import { describe, expect, it } from 'vitest';
import type { StorageClassFacts } from '../../model/storage-inventory.ts';
import { parseLocalPathConfig } from './local-path-config.ts';
import { defaultLocalPathConfig, isLocalClass, placesOf } from './local-places.ts';

const config = (value: object) => parseLocalPathConfig(JSON.stringify(value));
const local = (provisioner: string, annotations: Readonly<Record<string, string>> = {}): StorageClassFacts => ({
  name: 'local',
  provisioner,
  parameters: {},
  labels: {},
  annotations,
});

describe('the configuration of local-path', () => {
  it('goes by node, then by the paths of all other nodes, and by class where it has one', () => {
    const parsed = config({
      nodePathMap: [
        { node: 'DEFAULT_PATH_FOR_NON_LISTED_NODES', paths: ['/all'] },
        { node: 'a', paths: ['/a'] },
        { node: 'closed', paths: [] },
      ],
      storageClassConfigs: { fast: { nodePathMap: [{ node: 'DEFAULT_PATH_FOR_NON_LISTED_NODES', paths: ['/fast'] }] } },
    });
    expect(['a', 'b', 'closed'].map((node) => parsed.placesOf('local-path', node))).toEqual([
      { kind: 'own', paths: ['/a'] },
      { kind: 'own', paths: ['/all'] },
      { kind: 'own', paths: [] },
    ]);
    expect(parsed.placesOf('fast', 'a')).toEqual({ kind: 'own', paths: ['/fast'] });
  });

  it('is refused with the field that is wrong', () => {
    expect(() => parseLocalPathConfig('{')).toThrow(/not JSON/);
    expect(() => config({ nodePathMap: [{ node: 'a' }] })).toThrow(/paths/);
  });

  it('has defaults where it says nothing', () => {
    expect(placesOf(local('rancher.io/local-path'), defaultLocalPathConfig)('a')).toEqual({
      kind: 'own',
      paths: ['/opt/local-path-provisioner'],
    });
    expect(placesOf(local('openebs.io/local'), defaultLocalPathConfig)('a')).toEqual({
      kind: 'own',
      paths: ['/var/openebs/local'],
    });
    expect(['rancher.io/local-path', 'openebs.io/local', 'topolvm.io'].map((each) => isLocalClass(local(each)))).toEqual([
      true,
      true,
      false,
    ]);
    const devices = { 'cas.openebs.io/config': '- name: StorageType\n  value: device\n' };
    expect(isLocalClass(local('openebs.io/local', devices))).toBe(false);
  });
});
