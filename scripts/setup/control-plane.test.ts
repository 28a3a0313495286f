import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureControlPlane, findControlPlane } from './control-plane.mjs';
import { cacheFolder, families } from './control-plane-families.mjs';
import type { Log } from './progress.mjs';

const allNames = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-oracle', 'kube-scheduler', 'kubectl'];

describe('the binaries of the control plane', () => {
  let directory: string;
  let env: NodeJS.ProcessEnv;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'control-plane-'));
    env = { QUARTERMASTER_CACHE: join(directory, 'cache') };
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const put = (folder: string, name: string, mode = 0o755): string => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), mode);
    return join(folder, name);
  };

  const fillCache = (): void => {
    for (const family of families(env)) for (const name of family.packages.keys()) put(family.folder, name);
  };

  it('are looked for outside the checkout', () => {
    expect(cacheFolder({ QUARTERMASTER_CACHE: '/q', XDG_CACHE_HOME: '/x' })).toBe('/q');
    expect(cacheFolder({ XDG_CACHE_HOME: '/x' })).toBe('/x/quartermaster');
    expect(cacheFolder({})).toMatch(/\/\.cache\/quartermaster$/);
  });

  it('are absent from an empty cache', () => {
    expect(findControlPlane(env)).toEqual({ directory: join(directory, 'cache', 'control-plane'), binaries: {} });
  });

  it('are found in the cache, and nothing is built then', async () => {
    fillCache();
    const silent: Log = {
      info: (text) => expect.unreachable(text),
      step: (text) => expect.unreachable(text),
    };
    const { binaries } = await ensureControlPlane({ log: silent, env });
    expect(Object.keys(binaries).sort()).toEqual(allNames);
  });

  it('come from KUBEBUILDER_ASSETS first, and those missing there from the cache', () => {
    fillCache();
    const assets = join(directory, 'assets');
    const given = put(assets, 'kube-apiserver');
    put(assets, 'etcd', 0o644);
    const { binaries } = findControlPlane({ ...env, KUBEBUILDER_ASSETS: assets });
    expect(binaries['kube-apiserver']).toBe(given);
    expect(binaries['kube-scheduler']).toContain(join(directory, 'cache'));
    expect(binaries.etcd, 'a file that cannot be run').toContain(join(directory, 'cache'));
  });

  it('are stamped with the version that go.mod pins', () => {
    const kubernetes = families(env).find((family) => family.name === 'kubernetes');
    expect(kubernetes?.flags.join(' ')).toMatch(/version\.gitVersion=v(\d+)\.(\d+)\.\d+ .*gitMajor=\1 .*gitMinor=\2$/);
  });

  it('lie in another folder when another Go builds them', () => {
    const folders = [...families(env, '1.26.0'), ...families(env, '1.26.1')].map(({ folder }) => folder);
    expect(new Set(folders).size).toBe(6);
    expect(families(env, '1.26.1').map(({ folder }) => folder)).toEqual(folders.slice(3));
  });

  it('lie in a folder of their own for each family', () => {
    const folders = families(env).map((family) => family.folder);
    expect(new Set(folders).size).toBe(3);
    expect(families(env).map((family) => family.folder)).toEqual(folders);
  });
});
