import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type SecretReference, SecretReferenceSchema } from '@quartermaster/api/private';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noReferences, ReferencePolicy } from './reference-policy.ts';

const file = (value: string): SecretReference => create(SecretReferenceSchema, { source: { case: 'file', value } });
const secret = (namespace: string, name: string): SecretReference =>
  create(SecretReferenceSchema, { source: { case: 'kubernetesSecret', value: { namespace, name, key: 'k' } } });

describe('a reference to a Secret', () => {
  const policy = new ReferencePolicy({ directories: [], secrets: ['bmc/*', 'hubs/hub-*', 'one/exact.name'] });
  it.each([
    ['bmc', 'gpu-17', true],
    ['hubs', 'hub-east', true],
    ['one', 'exact.name', true],
    ['one', 'exactXname', false],
    ['hubs', 'other', false],
    ['xbmc', 'gpu-17', false],
    ['bmc-other', 'gpu-17', false],
    ['kube-system', 'bmc', false],
  ])('%s/%s is allowed: %s', (namespace, name, isAllowed) => {
    expect(policy.problemOf(secret(namespace, name)) === undefined).toBe(isAllowed);
  });
});

describe('a reference', () => {
  it('is allowed by nothing but the settings, and by those of now', () => {
    const policy = new ReferencePolicy(noReferences);
    expect(policy.violations('f', undefined, file('/run/secrets/a'))).toMatchObject([
      { field: 'f.file', description: expect.stringContaining('fulfillment-reference-directories') as string },
    ]);
    expect(policy.violations('f', undefined, secret('a', 'b'))).toMatchObject([
      { field: 'f.kubernetes_secret.name', description: expect.stringContaining('fulfillment-reference-secrets') as string },
    ]);
    policy.update({ directories: [], secrets: ['a/b'] });
    expect(policy.violations('f', undefined, secret('a', 'b'))).toEqual([]);
    policy.update(noReferences);
    expect(policy.problemOf(secret('a', 'b'))).toBeDefined();
  });

  it('is judged when it is written, not when it only stays', () => {
    const policy = new ReferencePolicy(noReferences);
    expect(policy.violations('f', secret('a', 'b'), secret('a', 'b'))).toEqual([]);
    expect(policy.violations('f', secret('a', 'b'), secret('a', 'c'))).toHaveLength(1);
    expect(policy.violations('f', secret('a', 'b'), undefined)).toEqual([]);
  });
});

describe('a reference to a file', () => {
  let root: string;
  let policy: ReferencePolicy;
  const violations = (path: string) => policy.violations('f', undefined, file(path));
  const allowed = (path: string): boolean => violations(path).length === 0;

  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'references-')));
    for (const folder of ['in/..1', 'in/deep', 'out', 'in-too']) await mkdir(join(root, folder), { recursive: true });
    for (const name of ['in/..1/mounted', 'in/plain', 'out/secret', 'in-too/secret']) await writeFile(join(root, name), 'x');
    const links = { 'in/..data': '..1', 'in/mounted': '..data/mounted', 'in/leak': '../out/secret', 'in/folder': '../out' };
    for (const [name, target] of Object.entries({ ...links, 'in/nowhere': '/does/not/exist', 'in/loop': 'loop', alias: 'in' })) {
      await symlink(target, join(root, name));
    }
    policy = new ReferencePolicy({ directories: [join(root, 'in'), join(root, 'alias'), '/not/on/this/machine/'], secrets: [] });
  });
  afterAll(async () => {
    await rm(root, { recursive: true, force: true });
  });

  it('may name what lies in an allowed directory, through the links of a mounted Secret and of the directory itself', () => {
    for (const name of ['in/plain', 'in/mounted', 'in/deep/later', 'alias/plain', 'alias/mounted'])
      expect([name, allowed(join(root, name))]).toEqual([name, true]);
    expect(allowed('/not/on/this/machine/file')).toBe(true);
  });

  it.each(['leak', 'folder/secret', 'folder/later', 'nowhere', 'nowhere/deeper', 'loop'])('must not lead out by the link in %s', (name) => {
    const path = join(root, 'in', name);
    expect(violations(path)).toMatchObject([{ field: 'f.file', description: expect.stringContaining('link') as string }]);
    // Handing out looks at no file.
    expect(policy.problemOf(file(path))).toBeUndefined();
  });

  it('must not lead out by its path, however it is spelled', () => {
    for (const path of ['in/../out/secret', 'in/./plain', 'in//plain', 'in', 'in/', 'in-too/secret', 'out/secret', '']) {
      expect([path, allowed(`${root}/${path}`)]).toEqual([path, false]);
      expect(policy.problemOf(file(`${root}/${path}`))).toBeDefined();
    }
    for (const path of ['/etc/shadow', 'relative', '', '/']) expect([path, allowed(path)]).toEqual([path, false]);
  });
});
